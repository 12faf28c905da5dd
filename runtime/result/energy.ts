import { z } from "zod";

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
