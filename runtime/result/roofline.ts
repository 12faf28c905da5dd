import { z } from "zod";
import { peaksSchema } from "../record/peaks.ts";

export type { Peak, Peaks } from "../record/peaks.ts";

/** Where work stands against the adapter's peaks. */
export const placementSchema = z.strictObject({
  /** FLOP per byte; null where no bytes move. */
  intensity: z.number().nullable(),
  /** Which of the two peaks holds it back. */
  bound: z.enum(["compute", "memory"]),
  /** FLOP/s that the peaks allow at this intensity; null without arithmetic. */
  attainable: z.number().nullable(),
  /** ms that the peaks allow at the least. */
  attainableTime: z.number(),
  /** Attainable / measured time: 1 is the roof. More than 1 where caches spare bytes that count here. */
  share: z.number().nullable(),
});

/** The adapter's peaks, and how far each variant's step is from them. */
export const rooflineSchema = z.strictObject({
  peaks: peaksSchema,
  steps: z.array(z.strictObject({
    variant: z.string(),
    /** Device time of a step: ms. */
    time: z.number(),
    ...placementSchema.shape,
    /** As `share`, were each op at its own roof: ops one after the other cannot share the two peaks. */
    opShare: z.number().nullable(),
  })),
});

export type Placement = z.infer<typeof placementSchema>;
export type Roofline = z.infer<typeof rooflineSchema>;
