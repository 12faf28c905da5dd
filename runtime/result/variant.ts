import { z } from "zod";
import { attachedSchema } from "./attached.ts";
import { autotuneResultSchema } from "./autotune.ts";
import { bottleneckSchema, boundSchema } from "./bottleneck.ts";
import {
  comparisonSchema,
  outliersSchema,
  outputsSchema,
  qualitySchema,
  seedsSchema,
  stepTimesSchema,
  targetSchema,
} from "./comparison.ts";
import { configSchema } from "./config.ts";
import { exactSchema } from "./exact.ts";
import { findingSchema } from "./finding.ts";
import { lossScaleSchema, lossSchema } from "./loss.ts";
import { metricsSchema } from "./metric.ts";
import { opSchema } from "./ops.ts";
import { pipelineSchema } from "./pipeline.ts";
import { profileSchema, timestampsSchema } from "./profile.ts";
import { ranksSchema } from "./ranks.ts";
import { blockSchema, evaluationSchema } from "./steps.ts";

const count = z.int().nonnegative();

/** Device memory in bytes: the planned peak, and its parts. */
export const memorySchema = z.strictObject({
  peak: count,
  parameters: count,
  gradients: count,
  optimizer: count,
  activations: count,
  workspace: count,
  feed: count,
});

/** Results of a variant. */
export const variantSchema = z.strictObject({
  name: z.string(),
  /** Value of each swept setting, by its path; empty without a sweep. */
  axes: z.record(z.string(), z.union([z.number(), z.string()])),
  /** Resolved settings as plain data. */
  config: configSchema,
  status: z.enum(["ok", "failed", "interrupted"]),
  /** Message and exit status of the failure. */
  error: z.strictObject({ message: z.string(), exitStatus: z.int() }).nullable(),
  planFingerprint: z.string().nullable(),
  /** Number of trained parameters; null without a model. */
  parameters: count.nullable(),
  metrics: metricsSchema,
  /** Bottleneck of a step: by its ablations where they were run, otherwise by its trace and queues. */
  bound: boundSchema.nullable(),
  /** Loss at the last step that every variant reached; `step` is its index. */
  finalLoss: z.strictObject({ step: count, value: lossSchema }).nullable(),
  /** Updates that loss scaling skipped because a gradient overflowed; null without loss scaling. */
  overflows: count.nullable(),
  /** Those among them that were measured. */
  measuredOverflows: count.nullable(),
  /** Course of the loss scale; null without loss scaling. */
  lossScale: lossScaleSchema.nullable(),
  /** Over the measured blocks. */
  counts: z.strictObject({ submits: count, waits: count, readbacks: count }).nullable(),
  /** Exact counts of a step; missing without a model and in results of earlier versions. */
  exact: exactSchema.exactOptional(),
  /**
   * Timestamps over the measured blocks, and the number of times that the device's clock wrapped around or was reset during the
   * run; null without timestamps.
   */
  timestamps: timestampsSchema.extend({ clockResets: count }).nullable(),
  blocks: z.array(blockSchema),
  /** Result of autotuning; null if it was off. */
  autotune: autotuneResultSchema.nullable(),
  /** Ops of the profiled steps; empty without profiling. */
  ops: z.array(opSchema),
  /** Further results of profiled steps; null without profiling. */
  profile: profileSchema.nullable(),
  /** Batches ready in the loader (`host`) and staged on the device (`device`) at every measured step. */
  queues: z.partialRecord(z.enum(["host", "device"]), z.array(count)),
  /** The input pipeline; null before the first measured step. */
  pipeline: pipelineSchema.nullable(),
  /** Loss of every step, warm-up included. */
  losses: z.array(lossSchema.nullable()),
  evaluations: z.array(evaluationSchema),
  /** Verdict against the baseline; null until judged. */
  verdict: z.enum(["faster", "slower", "same", "unclear", "invalid"]).nullable(),
  /** Comparison behind the verdict; null for the baseline, and without a complete round. */
  comparison: comparisonSchema.nullable(),
  /** Distribution of step times; null in a sink, whose steps are not timed separately. */
  stepTimes: stepTimesSchema.nullable(),
  outliers: outliersSchema.nullable(),
  /** Agreement of the losses; null for the baseline, and without comparable losses. */
  quality: qualitySchema.nullable(),
  /** Agreement of the outputs; missing for the baseline, and where it reports none. */
  outputs: outputsSchema.exactOptional(),
  /** Trainings with several seeds; null without the setting `seeds`. */
  seeds: seedsSchema.nullable(),
  /** Time to the target; null without a target. */
  target: targetSchema.nullable(),
  /** Distributed training; missing on one rank. */
  ranks: ranksSchema.exactOptional(),
  memory: memorySchema.nullable(),
  /** Bottleneck analysis; null without profiling and ablations. */
  bottleneck: bottleneckSchema.nullable(),
  findings: z.array(findingSchema),
  /** Profile of a program, as `tacho attach` measures it; missing for variants and unprofiled programs. */
  attached: attachedSchema.exactOptional(),
});

export type Memory = z.infer<typeof memorySchema>;
/** Result of a variant. */
export type VariantResult = z.infer<typeof variantSchema>;
export type VariantStatus = VariantResult["status"];
export type Bound = NonNullable<VariantResult["bound"]>;
