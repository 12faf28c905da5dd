import { z } from "zod";

/**
 * A loss as JSON can carry it: a diverged training gives NaN or an infinity, which JSON would turn into null, and null
 * means "not measured" here.
 */
export const lossSchema = z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]);

export type Loss = z.infer<typeof lossSchema>;

export function toLoss(value: number): Loss {
  return Number.isFinite(value) ? value : String(value) as Loss;
}

export function fromLoss(loss: Loss): number {
  return Number(loss);
}
