import { z } from "zod";
import { estimateSchema } from "./comparison.ts";

const count = z.int().nonnegative();

/** The part of a step that bounds it; `none` if no part stands out. */
export const boundSchema = z.enum(["input", "transfer", "host", "device", "none"]);

const reading = z.strictObject({ bound: boundSchema, reason: z.string() });

/** The bottleneck of a variant's step, read from the trace and measured by ablations. */
export const bottleneckSchema = z.strictObject({
  /** Reading of the step trace and the queues; null without device times. */
  byRules: reading.nullable(),
  /** Reading of the ablations; null if none were run. */
  byArms: reading.nullable(),
  /** Ablations: the same variant without a part of its step. */
  arms: z.array(z.strictObject({
    name: z.enum(["input only", "synthetic input", "no host waits", "null kernels"]),
    /** Description of the removed part. */
    what: z.string(),
    rounds: count,
    /** ms per step. */
    batchCost: z.number(),
    /** Time per step of the whole step / of the ablation. */
    ratio: estimateSchema,
  })),
  /** Bound of the device's own time: arithmetic, memory, or kernel launches. */
  device: z.strictObject({
    bound: z.enum(["compute", "memory", "launch", "mixed"]),
    /** Shares of the step's device time. */
    compute: z.number(),
    memory: z.number(),
    launch: z.number(),
    reason: z.string(),
  }).nullable(),
});

export type Bottleneck = z.infer<typeof bottleneckSchema>;
export type StepBound = z.infer<typeof boundSchema>;
