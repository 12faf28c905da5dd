import { z } from "zod";
import { comparisonSchema } from "./comparison.ts";
import { blockSchema } from "./steps.ts";

const count = z.int().nonnegative();

/** How the blocks were run, and what was seen of the machine meanwhile. */
export const procedureSchema = z.strictObject({
  /** Rounds that were asked for, and those that were run whole. */
  planned: count,
  rounds: count,
  stoppedBy: z.enum(["rounds", "precision", "time", "interrupted", "failed"]),
  /** Half width of the interval that was asked for; null where rounds decide. */
  precision: z.number().nullable(),
  /** Seconds that measuring might take; null for no limit. */
  maxTime: z.number().nullable(),
  /** The least speed-up - 1 that the user calls a difference. */
  minEffect: z.number().nonnegative(),
  /** Order of the arms in each round; the control arm goes by `secondArm`'s name. */
  order: z.array(z.array(z.string())),
  /** The baseline again under another name: what two runs of the same differ by. Null where it was left out. */
  secondArm: z.strictObject({ name: z.string(), blocks: z.array(blockSchema), comparison: comparisonSchema.nullable() })
    .nullable(),
  /** What may spoil the measurement: load, governor, software adapter, battery, throttling. */
  warnings: z.array(z.strictObject({ kind: z.string(), message: z.string() })),
  /** A fixed kernel between rounds: ms. */
  probe: z.array(z.strictObject({ round: count, time: z.number() })),
  /** Slope of the probe over the run, as a part of its mean; null where too few were taken. */
  probeTrend: z.number().nullable(),
  /** Steps that each arm ran until its times were steady, and whether they were. */
  warmUp: z.array(z.strictObject({ arm: z.string(), steps: count, steady: z.boolean() })),
  /** How often the run was taken up again after an interruption. */
  resumed: count,
});

export type Procedure = z.infer<typeof procedureSchema>;
