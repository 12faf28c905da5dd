import { z } from "zod";
import { lossSchema } from "./loss.ts";
import { byPhase } from "./phases.ts";

const count = z.int().nonnegative();
const milliseconds = z.number().nullable();

/** One measured step. Times in ms. */
export const stepSchema = z.strictObject({
  /** Steps of the variant before this one, the skipped ones included. */
  index: count,
  batchCost: milliseconds,
  readerCost: milliseconds,
  /** By the variant's `timing`; null where it has none. */
  stepTime: milliseconds,
  iterationGap: milliseconds,
  ...byPhase(z.number()),
  loss: lossSchema.nullable(),
});

/** Consecutive steps of one variant, the unit of comparison. */
export const blockSchema = z.strictObject({
  round: count,
  /** Place in the order of the round. */
  position: count,
  samples: count,
  /** Wall time in ms. */
  wall: z.number().nonnegative(),
  steps: z.array(stepSchema),
});

/** Loss and accuracy on held-out data, taken outside the measured steps. */
export const evaluationSchema = z.strictObject({
  split: z.string(),
  /** Steps of the variant before the evaluation. */
  step: count,
  samples: count,
  loss: lossSchema.nullable(),
  /** From 0 to 1; null where the loss has no classes. */
  accuracy: z.number().min(0).max(1).nullable(),
  /** Samples among them that could not be made and were replaced by others. */
  skipped: count,
});

export type StepRecord = z.infer<typeof stepSchema>;
export type Block = z.infer<typeof blockSchema>;
export type Evaluation = z.infer<typeof evaluationSchema>;
