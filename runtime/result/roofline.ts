import { z } from "zod";
import { peaksSchema } from "../record/peaks.ts";

export type { Peak, Peaks } from "../record/peaks.ts";

/** Position of work on the adapter's roofline. */
export const placementSchema = z.strictObject({
  /** FLOP per byte; null if no bytes move. */
  intensity: z.number().nullable(),
  /** The peak that limits it. */
  bound: z.enum(["compute", "memory"]),
  /** Attainable FLOP/s at this intensity; null without arithmetic. */
  attainable: z.number().nullable(),
  /** Minimum time at the peaks: ms. */
  attainableTime: z.number(),
  /** Attainable / measured time: 1 is the roof. Caches that avoid memory traffic can raise it above 1. */
  share: z.number().nullable(),
});

/** Peaks of the adapter, and each variant's step relative to them. */
export const rooflineSchema = z.strictObject({
  peaks: peaksSchema,
  steps: z.array(z.strictObject({
    variant: z.string(),
    /** Device time per step: ms. */
    time: z.number(),
    ...placementSchema.shape,
    /** Like `share`, with each op at its own roof, since ops that run in sequence cannot overlap the two peaks. */
    opShare: z.number().nullable(),
  })),
});

export type Placement = z.infer<typeof placementSchema>;
export type Roofline = z.infer<typeof rooflineSchema>;
