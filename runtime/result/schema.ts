/**
 * The result of a run, which `--json` writes and every report reads. Times are in milliseconds, sizes in bytes. Null means
 * not measured.
 *
 * @module
 */
import { z } from "zod";
import { parseFirst } from "../core/strangers_json.ts";
import { effectSchema, frontSchema } from "./comparison.ts";
import { adapterSchema, environmentSchema } from "./environment.ts";
import { ladderSchema } from "./ladder.ts";
import { migrateResult, SCHEMA_VERSION } from "./migrations.ts";
import { procedureSchema } from "./procedure.ts";
import { rooflineSchema } from "./roofline.ts";
import type { Result } from "./types.ts";
import { variantSchema } from "./variant.ts";
import { changeSchema } from "./finding.ts";

/** A shard of a merged run. Speeds of different shards are not compared. */
export const nodeSchema = z.strictObject({
  /** Number of the shard, from 1. */
  shard: z.int().positive(),
  of: z.int().positive(),
  /** Name of the machine; null if unknown. */
  host: z.string().nullable(),
  adapter: adapterSchema.shape.name,
  driver: adapterSchema.shape.driver,
  /** Complete rounds. */
  rounds: z.int().nonnegative(),
  /** Standard deviation of the log of the baseline's time over rounds; null with fewer than two. */
  baselineSpread: z.number().nonnegative().nullable(),
  /** Noise floor; null without a control arm. */
  noiseFloor: z.number().nonnegative().nullable(),
  /** Throughput of each variant that the shard ran, in its own unit per second; null if not measured. */
  speeds: z.array(z.strictObject({ variant: z.string(), ips: z.number().nullable() })),
});

export type Node = z.infer<typeof nodeSchema>;

/** Settings of a scenario that applied because of the adapter. */
export const adaptedSchema = z.strictObject({
  /** Keys of the scenario's `adapters` that applied: `software`, or a part of the adapter's name. */
  adapters: z.array(z.string()),
  /** Settings of the baseline that they changed. */
  changes: z.array(changeSchema),
  /** Names of the variants that they left out. */
  omitted: z.array(z.string()),
});

export type Adapted = z.infer<typeof adaptedSchema>;

export type { AttachResult as AttachedProgram } from "./attach_result.ts";
export type * from "./types.ts";
export { environmentSchema } from "./environment.ts";
export { fromLoss, lossSchema, toLoss } from "./loss.ts";
export { type MetricName, metricSchema } from "./metric.ts";
export { SCHEMA_VERSION } from "./migrations.ts";

/** Result of a run. */
export const resultSchema: z.ZodType<Result> = z.strictObject({
  schemaVersion: z.literal(SCHEMA_VERSION),
  environment: environmentSchema,
  scenario: z.strictObject({
    name: z.string(),
    /** Path of the script; null if the scenario did not come from a file. */
    file: z.string().nullable(),
    sha256: z.string().regex(/^[0-9a-f]{64}$/).nullable(),
    seed: z.int(),
    /** Parameters of the scenario before variants change them. */
    params: z.record(z.string(), z.json()),
    /** Effect of the scenario's settings by adapter; null for a scenario without any. */
    adapted: adaptedSchema.nullable(),
  }),
  /** Name of the variant that the others are compared with. */
  baseline: z.string(),
  variants: z.array(variantSchema),
  /** Noise floor: difference between the two copies of the baseline beyond the noise of their blocks; null if not measured. */
  noiseFloor: z.number().nonnegative().nullable(),
  /** Schedule of the blocks; null if none ran. */
  procedure: procedureSchema.nullable(),
  /** Main effects and interactions of a sweep's settings; empty without all combinations. */
  effects: z.array(effectSchema),
  /** Best variants of a sweep; null without a sweep, or where fewer than two variants can be compared. */
  front: frontSchema.nullable(),
  /** Result of `--tune`; null without it. */
  ladder: ladderSchema.nullable(),
  /** Peaks of the adapter and each step relative to them; null if not measured. */
  roofline: rooflineSchema.nullable(),
  /** Nodes of a merged run; missing in others. */
  nodes: z.array(nodeSchema).exactOptional(),
});

/**
 * Reads a result that this or an earlier version of Tacho wrote as JSON, and migrates it to the current version.
 *
 * @param where name of the result, for messages
 * @throws {InputError} if a newer Tacho wrote the result
 * @throws {z.ZodError} if the value is not a result
 */
export function readResult(value: unknown, where = "result"): Result {
  return parseFirst(resultSchema, migrateResult(value, where));
}
