import { z } from "zod";
import { autotuneResultSchema } from "./autotune.ts";
import { bottleneckSchema, boundSchema } from "./bottleneck.ts";
import { comparisonSchema, outliersSchema, qualitySchema, stepTimesSchema, targetSchema } from "./comparison.ts";
import { configSchema } from "./config.ts";
import { findingSchema } from "./finding.ts";
import { lossSchema } from "./loss.ts";
import { metricsSchema } from "./metric.ts";
import { opSchema } from "./ops.ts";
import { pipelineSchema } from "./pipeline.ts";
import { profileSchema } from "./profile.ts";
import { blockSchema, evaluationSchema } from "./steps.ts";

const count = z.int().nonnegative();

/** Device memory in bytes: the planned peak and its parts. */
export const memorySchema = z.strictObject({
  peak: count,
  parameters: count,
  gradients: count,
  optimizer: count,
  activations: count,
  workspace: count,
  feed: count,
});

/** What was measured of one variant. */
export const variantSchema = z.strictObject({
  name: z.string(),
  /** The resolved scenario of this variant, as plain data. */
  config: configSchema,
  status: z.enum(["ok", "failed", "interrupted"]),
  /** Why it failed, and the exit status that stands for this kind of failure. */
  error: z.strictObject({ message: z.string(), exitStatus: z.int() }).nullable(),
  planFingerprint: z.string().nullable(),
  /** Number of trained parameters; null without a model. */
  parameters: count.nullable(),
  metrics: metricsSchema,
  /** What a step waits for, by its trace and its queues. */
  bound: boundSchema.nullable(),
  /** The loss at the last step that every variant has reached; `step` is its index. */
  finalLoss: z.strictObject({ step: count, value: lossSchema }).nullable(),
  /** Steps that loss scaling skipped because a gradient overflowed; null without loss scaling. */
  overflows: count.nullable(),
  /** Those among them that were measured. */
  measuredOverflows: count.nullable(),
  /** Over the measured blocks. */
  counts: z.strictObject({ submits: count, waits: count, readbacks: count }).nullable(),
  blocks: z.array(blockSchema),
  /** What autotuning did; null where it was off. */
  autotune: autotuneResultSchema.nullable(),
  /** From profiled steps; empty when none were asked for. */
  ops: z.array(opSchema),
  /** What else the profiled steps and the recorder showed; null when nothing was asked for. */
  profile: profileSchema.nullable(),
  /** Batches ready in the loader (`host`) and staged on the device (`device`) at every measured step. */
  queues: z.partialRecord(z.enum(["host", "device"]), z.array(count)),
  /** Where the time of loading goes; null before the first measured step. */
  pipeline: pipelineSchema.nullable(),
  /** The loss of every step from the first, the skipped ones included. */
  losses: z.array(lossSchema.nullable()),
  evaluations: z.array(evaluationSchema),
  /** Against the baseline; null until a procedure has judged it. */
  verdict: z.enum(["faster", "slower", "same", "unclear", "invalid"]).nullable(),
  /** What the verdict rests on; null for the baseline, and where no round was whole. */
  comparison: comparisonSchema.nullable(),
  /** Steps of all blocks; null inside a sink, where no single step has a time. */
  stepTimes: stepTimesSchema.nullable(),
  outliers: outliersSchema.nullable(),
  /** Null for the baseline, and where no losses can be compared. */
  quality: qualitySchema.nullable(),
  /** Null where the scenario names no target. */
  target: targetSchema.nullable(),
  memory: memorySchema.nullable(),
  /** Null where nothing was profiled or taken away. */
  bottleneck: bottleneckSchema.nullable(),
  findings: z.array(findingSchema),
});

export type Memory = z.infer<typeof memorySchema>;
export type VariantResult = z.infer<typeof variantSchema>;
export type VariantStatus = VariantResult["status"];
export type Bound = NonNullable<VariantResult["bound"]>;
