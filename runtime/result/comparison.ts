import { z } from "zod";
import { lossSchema } from "./loss.ts";

const count = z.int().nonnegative();
const share = z.number().min(0).max(1);

/** An estimate with its confidence interval; `low` and `high` are null with too few rounds. */
export const estimateSchema = z.strictObject({
  value: z.number(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});

/** Comparison of a variant with the baseline, paired by round; see docs/statistics.md. */
export const comparisonSchema = z.strictObject({
  /** Rounds in which both completed a block. */
  pairs: count,
  /** Set-ups that these rounds ran with. */
  setups: count,
  /** Standard deviation of the log of the speed-up, by level. */
  spread: z.strictObject({
    /** Between set-ups; where each has one round, of both levels together. Null for a single set-up. */
    setups: z.number().nullable(),
    /** Between the rounds of a set-up; null where each has one round. */
    rounds: z.number().nullable(),
  }),
  /** Time per sample of the baseline / of the variant: winsorised mean over rounds, or over set-ups. */
  speedup: estimateSchema,
  /** Confidence level of the interval: 0.95. */
  level: share,
  /** Level that the interval reaches with this number of rounds; null without an interval. */
  reached: share.nullable(),
  /** Method that computed the interval. */
  method: z.string(),
  /** Geometric mean over rounds, in which a burst has its full weight; null where there are too few rounds. */
  companion: z.strictObject({
    ratio: estimateSchema,
    method: z.string(),
    /** True if it lies outside the interval of `speedup`. */
    disagrees: z.boolean(),
  }).nullable(),
  /** p of the paired test; null without pairs. */
  p: share.nullable(),
  /** p after Holm's correction over all compared variants. */
  adjustedP: share.nullable(),
  /** Smallest p that this number of rounds or set-ups can reach; null where the test is model-based. */
  smallestP: share.nullable(),
  /** The larger of `minEffect` and the noise floor: a speed-up between 1 / (1 + band) and 1 + band counts as the same speed. */
  band: z.number().nonnegative(),
  /** Reason for the verdict. */
  reason: z.string(),
});

/** Distribution of the step times of all blocks: ms. */
/** Comparison of what a variant has computed with what the baseline has. */
export const outputsSchema = z.strictObject({
  /** Outputs up to the first difference. */
  compared: count,
  /** First difference with its place and both values; null without any. */
  difference: z.strictObject({ where: z.string(), value: z.string(), baseline: z.string() }).nullable(),
});

/** A percentile with its distribution-free 95 % interval; an end is null where there are too few values for it. */
export const percentileSchema = z.strictObject({
  percent: z.number(),
  value: z.number(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});

export const stepTimesSchema = z.strictObject({
  median: z.number(),
  p95: z.number(),
  p99: z.number(),
  max: z.number(),
  /** Number of timed steps. */
  steps: count,
  /** Missing unless variants are compared by a percentile. */
  percentiles: z.array(percentileSchema).exactOptional(),
});

/** Blocks outside Tukey's fences: `mild` beyond 1.5, `severe` beyond 3 interquartile ranges. No block is excluded. */
export const outliersSchema = z.strictObject({ mild: count, severe: count, blocks: count });

/** Agreement of the variant's losses with the baseline's, from the same seed. */
export const qualitySchema = z.strictObject({
  /** Index of the last compared step. */
  step: count,
  loss: lossSchema,
  baselineLoss: lossSchema,
  /** Largest difference between smoothed losses, relative to the baseline's. */
  difference: lossSchema,
  /** Largest accepted `difference`; null if the variant changes what is trained. */
  tolerance: z.number().nullable(),
  /** Largest relative distance at one of the first three steps, and its limit; null where they have no limit. */
  first: z.strictObject({ difference: lossSchema, tolerance: z.number() }).nullable(),
  kept: z.boolean(),
});

/** Time that a variant takes to reach a loss or an accuracy, by seed. */
export const targetSchema = z.strictObject({
  metric: z.enum(["loss", "accuracy"]),
  threshold: z.number(),
  seeds: z.array(z.strictObject({
    seed: z.int(),
    /** Steps until the target was reached; null if it was not. */
    steps: count.nullable(),
    /** ms of training without evaluation; null if the target was not reached. */
    wall: z.number().nullable(),
  })),
  /** ms, over the seeds that reached the target. */
  time: estimateSchema.nullable(),
});

/** Losses and accuracies of trainings with several seeds; see docs/statistics.md. */
export const seedsSchema = z.strictObject({
  /** Steps of each training, and those at its end over which its loss is averaged. */
  steps: count,
  window: count,
  runs: z.array(z.strictObject({
    seed: z.int(),
    loss: lossSchema,
    /** Accuracy on the test split after the last step; null without `evaluate`. */
    accuracy: share.nullable(),
  })),
  /** Means over the seeds. Differences are from the baseline's trainings, paired by seed; null for the baseline. */
  loss: estimateSchema.nullable(),
  lossDifference: estimateSchema.nullable(),
  accuracy: estimateSchema.nullable(),
  accuracyDifference: estimateSchema.nullable(),
});

/** Effect of a setting on the speed, or the interaction of several settings. */
export const effectSchema = z.strictObject({
  /** One setting for a main effect, several for an interaction. */
  factors: z.array(z.strictObject({ setting: z.string(), from: z.string(), to: z.string() })).min(1),
  /** Factor on the speed. */
  ratio: estimateSchema,
  p: share.nullable(),
  adjustedP: share.nullable(),
});

/** Objective of a sweep: speed is to be high, memory and loss low. */
export const objectiveSchema = z.enum(["speed", "memory", "loss"]);

/** The variants of a sweep that no other one dominates; see docs/statistics.md. */
export const frontSchema = z.strictObject({
  /** Objectives that the variants are compared by. */
  objectives: z.array(objectiveSchema).min(1),
  variants: z.array(z.strictObject({
    name: z.string(),
    /** `front`: no other variant can dominate it; `open`: the intervals do not decide. */
    status: z.enum(["front", "open", "dominated"]),
    /** Variant that is better on one objective and at least as good on the others; null unless dominated. */
    dominatedBy: z.string().nullable(),
    /** Objectives on which no variant is better, as far as the intervals tell. */
    best: z.array(objectiveSchema),
  })),
});

export type Front = z.infer<typeof frontSchema>;
export type Objective = z.infer<typeof objectiveSchema>;
export type Estimate = z.infer<typeof estimateSchema>;
export type Comparison = z.infer<typeof comparisonSchema>;
export type StepTimes = z.infer<typeof stepTimesSchema>;
export type Outliers = z.infer<typeof outliersSchema>;
export type Quality = z.infer<typeof qualitySchema>;
export type Seeds = z.infer<typeof seedsSchema>;
export type Target = z.infer<typeof targetSchema>;
export type Effect = z.infer<typeof effectSchema>;
