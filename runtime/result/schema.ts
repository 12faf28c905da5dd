/**
 * The result of a run: what `--json` writes and what every report reads. Times are milliseconds, sizes bytes, and what
 * was not measured is null.
 *
 * @module
 */
import { z } from "zod";
import { effectSchema } from "./comparison.ts";
import { environmentSchema } from "./environment.ts";
import { ladderSchema } from "./ladder.ts";
import { metricSchema } from "./metric.ts";
import { migrateResult, SCHEMA_VERSION } from "./migrations.ts";
import { procedureSchema } from "./procedure.ts";
import { rooflineSchema } from "./roofline.ts";
import { variantSchema } from "./variant.ts";

export type { AutotuneResult, TunedOpResult } from "./autotune.ts";
export { type AdapterRecord, type Environment, environmentSchema } from "./environment.ts";
export { fromLoss, type Loss, lossSchema, toLoss } from "./loss.ts";
export { type Metric, type MetricName, type Metrics, metricSchema, type Unit } from "./metric.ts";
export type { OpRecord } from "./ops.ts";
export type { CpuUse, Defects, HostWork, MemoryPoint, PhaseSplit, Profile, RangeRecord } from "./profile.ts";
export type { Peak, Peaks, Placement, Roofline } from "./roofline.ts";
export type { Pipeline } from "./pipeline.ts";
export type { Block, Evaluation, StepRecord } from "./steps.ts";
export type { Bottleneck, StepBound } from "./bottleneck.ts";
export type { Comparison, Effect, Estimate, Outliers, Quality, StepTimes, Target } from "./comparison.ts";
export type { Change, Finding } from "./finding.ts";
export type { Ladder, Rung } from "./ladder.ts";
export { SCHEMA_VERSION } from "./migrations.ts";
export type { Procedure } from "./procedure.ts";
export type { Bound, Memory, VariantResult, VariantStatus } from "./variant.ts";

export const resultSchema = z.strictObject({
  schemaVersion: z.literal(SCHEMA_VERSION),
  environment: environmentSchema,
  scenario: z.strictObject({
    name: z.string(),
    /** Path of the script; null when the scenario did not come from a file. */
    file: z.string().nullable(),
    sha256: z.string().regex(/^[0-9a-f]{64}$/).nullable(),
    seed: z.int(),
    /** The scenario's own parameters, before a variant changes them. */
    params: z.record(z.string(), z.json()),
  }),
  /** The name of the variant that the others are compared with. */
  baseline: z.string(),
  variants: z.array(variantSchema),
  /** The difference that two runs of the same variant show; null when it was not measured. */
  noiseFloor: metricSchema.nullable(),
  /** How the blocks were run; null where none were. */
  procedure: procedureSchema.nullable(),
  /** Of a sweep's settings, alone and together; empty where there is no whole product. */
  effects: z.array(effectSchema),
  /** What `--tune` did; null without it. */
  ladder: ladderSchema.nullable(),
  /** The adapter's peaks and each step's place against them; null when they were not measured. */
  roofline: rooflineSchema.nullable(),
});

export type Result = z.infer<typeof resultSchema>;

/**
 * Reads a result that this or an earlier Tacho wrote as JSON, and returns it in the current form.
 *
 * @param where name of the result, for messages
 * @throws {InputError} if a newer Tacho wrote it
 * @throws {z.ZodError} if it is no result
 */
export function readResult(value: unknown, where = "result"): Result {
  return resultSchema.parse(migrateResult(value, where));
}
