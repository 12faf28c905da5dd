import { z } from "zod";
import { lossSchema } from "./loss.ts";

const count = z.int().nonnegative();
const share = z.number().min(0).max(1);

/** A ratio with its interval; null where there are too few rounds for one. */
export const estimateSchema = z.strictObject({
  value: z.number(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});

/** A variant against the baseline, round by round (STATISTICS.md, 5 to 7). */
export const comparisonSchema = z.strictObject({
  /** Rounds in which both ran a whole block. */
  pairs: count,
  /** Time per sample of the baseline / that of the variant: the geometric mean over rounds, with its interval. */
  speedup: estimateSchema,
  /** Of the interval: 0.95. */
  level: share,
  /** How the interval was made. */
  method: z.string(),
  /** Of the exact paired sign-flip test; null with no pairs. */
  p: share.nullable(),
  /** p after Holm's correction over the variants of the matrix. */
  adjustedP: share.nullable(),
  /** The smallest p that this number of rounds can reach. */
  smallestP: share.nullable(),
  /** A speed-up between 1 / (1 + band) and 1 + band is no difference that counts. */
  band: z.number().nonnegative(),
  /** Why the verdict is what it is. */
  reason: z.string(),
});

/** Steps of all blocks: ms. */
export const stepTimesSchema = z.strictObject({
  median: z.number(),
  p95: z.number(),
  p99: z.number(),
  max: z.number(),
  /** Steps that these are of. */
  steps: count,
});

/** Blocks outside of Tukey's fences: `mild` beyond 1.5 and `severe` beyond 3 quartile distances. They are not left out. */
export const outliersSchema = z.strictObject({ mild: count, severe: count, blocks: count });

/** Whether the variant learns what the baseline learns from the same seed. */
export const qualitySchema = z.strictObject({
  /** Index of the last step that was compared. */
  step: count,
  loss: lossSchema,
  baselineLoss: lossSchema,
  /** Largest distance of smoothed losses, relative to the baseline's. */
  difference: lossSchema,
  /** What it may be; null where the variant is meant to train something else. */
  tolerance: z.number().nullable(),
  /** Largest relative distance at one of the first three steps, and its limit; null where they have no limit. */
  first: z.strictObject({ difference: lossSchema, tolerance: z.number() }).nullable(),
  kept: z.boolean(),
});

/** How long a variant takes to a loss or an accuracy, by seed; null where it did not get there. */
export const targetSchema = z.strictObject({
  metric: z.enum(["loss", "accuracy"]),
  threshold: z.number(),
  seeds: z.array(z.strictObject({
    seed: z.int(),
    steps: count.nullable(),
    /** ms of training, evaluation left out. */
    wall: z.number().nullable(),
  })),
  /** ms over the seeds that got there. */
  time: estimateSchema.nullable(),
});

/** What one setting brings, or several together beyond what each does alone. */
export const effectSchema = z.strictObject({
  /** One setting for a main effect, several for their interaction. */
  factors: z.array(z.strictObject({ setting: z.string(), from: z.string(), to: z.string() })).min(1),
  /** Times the speed. */
  ratio: estimateSchema,
  p: share.nullable(),
  adjustedP: share.nullable(),
});

export type Estimate = z.infer<typeof estimateSchema>;
export type Comparison = z.infer<typeof comparisonSchema>;
export type StepTimes = z.infer<typeof stepTimesSchema>;
export type Outliers = z.infer<typeof outliersSchema>;
export type Quality = z.infer<typeof qualitySchema>;
export type Target = z.infer<typeof targetSchema>;
export type Effect = z.infer<typeof effectSchema>;
