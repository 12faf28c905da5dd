import { z } from "zod";

/**
 * A loss in JSON. Training that diverges gives NaN or an infinity, which JSON would write as null, and null means "not
 * measured" in a result.
 */
export const lossSchema = z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]);

export type Loss = z.infer<typeof lossSchema>;

/** Converts a number to its JSON form. */
export function toLoss(value: number): Loss {
  return Number.isFinite(value) ? value : String(value) as Loss;
}

/** Converts the JSON form back to a number. */
export function fromLoss(loss: Loss): number {
  return Number(loss);
}
