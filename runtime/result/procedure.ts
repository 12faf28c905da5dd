import { z } from "zod";
import { STATISTICS } from "../core/percentile.ts";
import { comparisonSchema } from "./comparison.ts";
import { blockSchema } from "./steps.ts";

/** Counters of energy during the run. */
export const energySchema = z.strictObject({
  /** Names of the counters that were summed: processor packages, memory, GPUs. */
  sources: z.array(z.string()),
  /** Power before the run, while nothing of it was running, in watts; null without counters. */
  idle: z.number().nonnegative().nullable(),
  /** Reason why counters are missing: all of them, or some beside the sources; null if none are. */
  reason: z.string().nullable(),
});

export type Energy = z.infer<typeof energySchema>;

const count = z.int().nonnegative();

/** Schedule of the blocks, and observations of the machine during the run. */
export const procedureSchema = z.strictObject({
  /** Requested and completed rounds. */
  planned: count,
  rounds: count,
  stoppedBy: z.enum(["rounds", "precision", "time", "interrupted", "failed"]),
  /** Requested half width of the interval; null if the number of rounds is fixed. */
  precision: z.number().nullable(),
  /** Time limit of the measurement in seconds; null for none. */
  maxTime: z.number().nullable(),
  /** Statistic of a block's steps that variants are compared by; missing for the mean. */
  statistic: z.enum(STATISTICS).exactOptional(),
  /** Smallest speed-up - 1 to report as a difference. */
  minEffect: z.number().nonnegative(),
  /** Set-ups of the variants, which are all set up again at the same time. */
  setups: z.strictObject({
    /** Set-ups so far, the first included. */
    count,
    /** Time of those after the first, in ms; null in results of earlier versions. */
    time: z.number().nonnegative().nullable(),
    /** The same as a part of the run's time up to the last round. */
    share: z.number().min(0).max(1).nullable(),
    /** Present if each set-up is a fresh process. */
    processes: z.literal(true).exactOptional(),
  }),
  /** Order of the arms in each round; the control arm has the name in `secondArm`. */
  order: z.array(z.array(z.string())),
  /** Control arm: the baseline's second copy, which measures the noise floor. Null if it was turned off. */
  secondArm: z.strictObject({ name: z.string(), blocks: z.array(blockSchema), comparison: comparisonSchema.nullable() })
    .nullable(),
  /** Conditions that may distort the measurement: load, governor, software adapter, battery, throttling. */
  warnings: z.array(z.strictObject({ kind: z.string(), message: z.string() })),
  /** Time of a fixed kernel between rounds: ms. */
  probe: z.array(z.strictObject({ round: count, time: z.number() })),
  /** Change of the probe over the run, relative to its mean; null with too few probes. */
  probeTrend: z.number().nullable(),
  /** Warm-up steps of each arm; `steady` is true if step times became steady. */
  warmUp: z.array(z.strictObject({ arm: z.string(), steps: count, steady: z.boolean() })),
  /** Counters of energy; missing in results of earlier versions. */
  energy: energySchema.exactOptional(),
  /** Number of times the run was resumed after an interruption. */
  resumed: count,
});

export type Procedure = z.infer<typeof procedureSchema>;
