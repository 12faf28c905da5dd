import { z } from "zod";
import { autotuneResultSchema } from "../result/autotune.ts";
import { type AdapterRecord, type Loss, lossSchema } from "../result/schema.ts";
import { timestampsSchema } from "../result/profile.ts";
import { bucketTimesSchema, rankBlockSchema } from "../result/ranks.ts";
import { blockSchema } from "../result/steps.ts";

const count = z.int().nonnegative();

/** Host measurements of a block besides step times; plain data, like a block. */
const keptHostSchema = z.strictObject({
  /** Time that the runtime slept, in ms. */
  runtimeWait: z.number(),
  /** Number of device operations, by name. */
  counts: z.record(z.string(), z.number()),
  /** Time to copy the batch of each step, in ms. */
  letData: z.array(z.number()),
  /** Batches ready in the loader at each step. */
  hostQueue: z.array(z.number()),
  /** Batches waiting on the device at each step. */
  deviceQueue: z.array(z.number().nullable()),
  /** Ready batches of each worker at each step; omitted without workers. */
  workerQueues: z.array(z.array(z.number())).exactOptional(),
  /** Times of the host's work, by name; missing in runs of earlier versions. */
  work: z.record(z.string(), z.strictObject({ calls: count, total: z.number(), min: z.number(), max: z.number() }))
    .exactOptional(),
  /** Records of the ranks; missing on one rank. */
  ranks: z.strictObject({ ranks: z.array(rankBlockSchema), buckets: z.array(bucketTimesSchema) }).exactOptional(),
  /** Timestamps of the block's passes; missing without timestamps, and in runs of earlier versions. */
  timestamps: timestampsSchema.exactOptional(),
});

/** Measurements of one arm in a round. */
const keptBlockSchema = z.strictObject({
  /** Name of the variant, or of the control arm. */
  arm: z.string(),
  block: blockSchema,
  host: keptHostSchema,
});

/** A complete round, with a block of every arm. The blocks of one round are compared with each other. */
export const keptRoundSchema = z.strictObject({
  round: count,
  /** Arms in the order in which they ran. */
  order: z.array(z.string()),
  blocks: z.array(keptBlockSchema),
  /** Time of the probe kernel after the round, in ms; null if it did not run. */
  probe: z.number().nullable(),
});

/** Kernels of an arm, so that a resumed arm runs the same ones regardless of the cache of times. */
const keptTuningSchema = z.strictObject({
  /** Candidate for each op, by its key. */
  choices: z.record(z.string(), z.string()),
  outcome: autotuneResultSchema,
});

/** Warm-up of an arm. A resumed arm runs the same number of steps before its first block. */
export const keptWarmUpSchema = z.strictObject({
  arm: z.string(),
  steps: count,
  steady: z.boolean(),
  /** Omitted if no kernels were chosen by timing. */
  tuning: keptTuningSchema.exactOptional(),
});

/** Failure of an arm. */
export const keptFailureSchema = z.strictObject({
  arm: z.string(),
  round: count,
  message: z.string(),
  exitStatus: count,
});

/** Complete training of an arm with one of several seeds. A resumed run does not repeat it. */
export const keptTrainingSchema = z.strictObject({
  arm: z.string(),
  seed: z.int(),
  steps: count,
  /** Fingerprint of its plan. */
  plan: z.string(),
  /** Mean over the last steps. */
  loss: lossSchema,
  /** Accuracy on the test split; null without evaluation. */
  accuracy: z.number().nullable(),
});

/** Losses of consecutive steps; null for a step without one. */
export const keptLossesSchema = z.array(lossSchema.nullable());

export type KeptBlock = z.infer<typeof keptBlockSchema>;
export type KeptRound = z.infer<typeof keptRoundSchema>;
export type KeptTuning = z.infer<typeof keptTuningSchema>;
export type KeptWarmUp = z.infer<typeof keptWarmUpSchema>;
export type KeptFailure = z.infer<typeof keptFailureSchema>;
export type KeptTraining = z.infer<typeof keptTrainingSchema>;

/**
 * Stores the measurements of a running experiment, so that an interruption loses no complete round, and provides those of
 * earlier sittings when the run is resumed.
 */
export interface RunRecorder {
  /** Complete rounds of earlier sittings, in order; empty for a new run. */
  readonly rounds: readonly KeptRound[];
  readonly warmUps: readonly KeptWarmUp[];
  readonly failures: readonly KeptFailure[];
  readonly trainings: readonly KeptTraining[];
  /** Number of times that the run was resumed. */
  readonly resumed: number;
  /** Name of the adapter of earlier sittings; null if unknown, or if they used none. */
  readonly adapter: string | null;
  /** Returns the losses of an arm in earlier sittings, from its first step. The same steps must reproduce them. */
  losses(arm: string): readonly (Loss | null)[];
  /** Keeps the adapter before anything is measured, so that even a killed run has it. */
  keepAdapter(adapter: AdapterRecord): void;
  /** Keeps a round, which is on disk when this returns. */
  keepRound(round: KeptRound): void;
  keepWarmUp(warmUp: KeptWarmUp): void;
  keepFailure(failure: KeptFailure): void;
  /** Keeps a training, which is on disk when this returns. */
  keepTraining(training: KeptTraining): void;
  /** Keeps the losses of an arm's steps from `first` on, replacing those that it already has. */
  keepLosses(arm: string, first: number, losses: readonly (Loss | null)[]): void;
}
