import { z } from "zod";
import { boundSchema } from "./bottleneck.ts";
import { comparisonSchema, estimateSchema } from "./comparison.ts";
import { changeSchema } from "./finding.ts";
import { metricSchema } from "./metric.ts";

/** The state of a scenario on a rung of the ladder. */
const stateSchema = z.strictObject({
  ips: metricSchema.nullable(),
  /** ms */
  iterationGap: z.number().nullable(),
  /** Share of steps that found the host's queue empty. */
  emptyQueue: z.number().min(0).max(1).nullable(),
  bound: boundSchema.nullable(),
});

/** One piece of advice, tried. */
export const rungSchema = z.strictObject({
  name: z.string(),
  /** Slug of the finding that led here. */
  finding: z.string(),
  changes: z.array(changeSchema),
  /** Stored before the rung was run. */
  predicted: z.strictObject({ gain: z.number().positive(), reasoning: z.string() }),
  /** Against the rung below; null where it did not run. */
  measured: comparisonSchema.nullable(),
  before: stateSchema,
  after: stateSchema.nullable(),
  kept: z.boolean(),
  reason: z.string(),
});

/** A scenario made faster one setting at a time, each measured against the one below. */
export const ladderSchema = z.strictObject({
  variant: z.string(),
  start: stateSchema,
  rungs: z.array(rungSchema),
  /** The last rung against the start. */
  total: estimateSchema.nullable(),
  /** Median over rungs of |predicted - measured| / measured; null with no measured rung. */
  predictionError: z.number().nullable(),
  stoppedBy: z.enum(["no advice", "time", "interrupted"]),
  /** The kept settings as a patch to the script; null where they cannot be written as one. */
  patch: z.string().nullable(),
});

export type Ladder = z.infer<typeof ladderSchema>;
export type Rung = z.infer<typeof rungSchema>;
