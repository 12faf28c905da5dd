import { z } from "zod";

/**
 * A loss in JSON. Training that diverges gives NaN or an infinity, which JSON would write as null, and null means "not
 * measured" in a result.
 */
export const lossSchema = z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]);

/** Course of the loss scale over the steps of a variant's training, warm-up included. */
export const lossScaleSchema = z.strictObject({
  /** Steps from which on the scale differs from that of the step before. A resumed run starts with its first own step. */
  changes: z.array(z.strictObject({ step: z.int().nonnegative(), scale: lossSchema })),
  /** Steps whose update was skipped because a gradient overflowed. */
  skipped: z.array(z.int().nonnegative()),
});

export type LossScale = z.infer<typeof lossScaleSchema>;
export type Loss = z.infer<typeof lossSchema>;

/** Converts a number to its JSON form. */
export function toLoss(value: number): Loss {
  return Number.isFinite(value) ? value : String(value) as Loss;
}

/** Converts the JSON form back to a number. */
export function fromLoss(loss: Loss): number {
  return Number(loss);
}
