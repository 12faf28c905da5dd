import { z } from "zod";
import { estimateSchema } from "./comparison.ts";

const count = z.int().nonnegative();

/** What a step waits for; `none` where nothing stands out. */
export const boundSchema = z.enum(["input", "transfer", "host", "device", "none"]);

const reading = z.strictObject({ bound: boundSchema, reason: z.string() });

/** What bounds a variant's step, by reading the trace and by taking parts of the step away. */
export const bottleneckSchema = z.strictObject({
  /** From the step trace and the queues; null where device times are missing. */
  byRules: reading.nullable(),
  /** From the arms; null where none were run. */
  byArms: reading.nullable(),
  /** The same scenario with a part taken away. */
  arms: z.array(z.strictObject({
    name: z.enum(["input only", "synthetic input", "no host waits", "null kernels"]),
    /** What is taken away. */
    what: z.string(),
    rounds: count,
    /** ms a step. */
    batchCost: z.number(),
    /** Time per step of the whole / of the arm. */
    ratio: estimateSchema,
  })),
  /** Where the device bounds the step: arithmetic, memory, or the launches of kernels. */
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
