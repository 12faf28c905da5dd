import { z } from "zod";
import { boundSchema } from "./bottleneck.ts";
import { comparisonSchema, estimateSchema } from "./comparison.ts";
import { changeSchema } from "./finding.ts";
import { metricSchema } from "./metric.ts";

/** State of the scenario on a rung of the ladder. */
const stateSchema = z.strictObject({
  ips: metricSchema.nullable(),
  /** ms */
  iterationGap: z.number().nullable(),
  /** Fraction of steps that found the host queue empty. */
  emptyQueue: z.number().min(0).max(1).nullable(),
  bound: boundSchema.nullable(),
});

/** A piece of advice that was tried. */
export const rungSchema = z.strictObject({
  name: z.string(),
  /** Slug of the finding that proposed the change. */
  finding: z.string(),
  changes: z.array(changeSchema),
  /** Prediction, stored before the rung ran. */
  predicted: z.strictObject({ gain: z.number().positive(), reasoning: z.string() }),
  /** Comparison with the rung below; null if the rung did not run. */
  measured: comparisonSchema.nullable(),
  before: stateSchema,
  after: stateSchema.nullable(),
  kept: z.boolean(),
  reason: z.string(),
});

/** Result of `--tune`: settings changed one at a time, each measured against the rung below. */
export const ladderSchema = z.strictObject({
  variant: z.string(),
  start: stateSchema,
  rungs: z.array(rungSchema),
  /** Speed-up of the last rung over the start. */
  total: estimateSchema.nullable(),
  /** Median over rungs of |predicted - measured| / measured; null without a measured rung. */
  predictionError: z.number().nullable(),
  stoppedBy: z.enum(["no advice", "time", "interrupted"]),
  /** Patch to the script with the kept settings; null if they cannot be written as one. */
  patch: z.string().nullable(),
});

export type Ladder = z.infer<typeof ladderSchema>;
export type Rung = z.infer<typeof rungSchema>;
