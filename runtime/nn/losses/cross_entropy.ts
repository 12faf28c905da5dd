import { z } from "zod";
import { crossEntropy as applyCrossEntropy, crossEntropyRows } from "../../../ops/cross_entropy.ts";
import { type OptionsOf, record } from "../../data/kinds.ts";
import { dropProbability } from "../options.ts";
import type { LossDef } from "./loss_def.ts";

const schema = z.strictObject({
  kind: z.literal("crossEntropy"),
  labelSmoothing: dropProbability.default(0).describe("part of the target spread evenly over all classes"),
});

export type CrossEntropySpec = z.output<typeof schema>;

/**
 * Creates a softmax cross-entropy loss of logits `[n, classes]` against class indices `[n]`, averaged over the batch, like
 * PyTorch's `CrossEntropyLoss`.
 *
 * @example
 * ```ts
 * import { crossEntropy } from "@tacho/tacho";
 *
 * const loss = crossEntropy({ labelSmoothing: 0.1 });
 * ```
 */
export function crossEntropy(options: OptionsOf<typeof schema> = {}): CrossEntropySpec {
  return record(schema, options);
}

export const crossEntropyLoss: LossDef<typeof schema> = {
  schema,
  targets: "classes",
  apply: ({ labelSmoothing }, output, target) => applyCrossEntropy(output, target, { labelSmoothing }),
  perSample: ({ labelSmoothing }, output, target) => crossEntropyRows(output, target, { labelSmoothing }),
  ofSample({ labelSmoothing }, logits, target) {
    let largest = -Infinity;
    for (let i = 0; i < logits.length; i++) largest = Math.max(largest, logits[i]!);
    let sum = 0;
    let mean = 0;
    for (let i = 0; i < logits.length; i++) {
      sum += Math.exp(logits[i]! - largest);
      mean += logits[i]! / logits.length;
    }
    const logSum = largest + Math.log(sum);
    return logSum - (1 - labelSmoothing) * logits[target[0]!]! - labelSmoothing * mean;
  },
};
