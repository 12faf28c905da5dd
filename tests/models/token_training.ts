import { bySgd } from "./optimizers.ts";
import type { ModelCase } from "./case.ts";
import { tokenEntropy } from "./losses.ts";

/** Returns the data, loss and optimizer of a language model's training. */
export function trainingOfTokens(vocabulary: number): Omit<ModelCase, "name" | "model" | "reference"> {
  return {
    batchSize: 3,
    input: [7],
    vocabulary,
    target: { classes: vocabulary, places: [7] },
    loss: tokenEntropy(),
    optimizer: bySgd({ learningRate: 0.1, momentum: 0.9 }),
    noise: 0.1,
    tolerance: 1e-4,
  };
}
