import { z } from "zod";
import { crossEntropy as applyCrossEntropy, crossEntropyRows, IGNORE_INDEX } from "../../../ops/cross_entropy.ts";
import { flatten } from "../../../ops/flatten.ts";
import { sumBySample } from "../../../ops/sum.ts";
import { record } from "../../data/kinds.ts";
import { dropProbability } from "../options.ts";
import type { LossDef } from "./loss_def.ts";
import type { CrossEntropyOptions, CrossEntropySpec } from "./types.ts";

const weights = z.array(
  z.number({ error: "expected a number" }).min(0, { error: "expected at least 0" }),
  { error: "expected a list with the weight of each class" },
).min(1, { error: "expected the weight of each class" });

const schema = z.strictObject({
  kind: z.literal("crossEntropy"),
  labelSmoothing: dropProbability.default(0).describe("part of the target spread evenly over all classes"),
  ignoreIndex: z.int({ error: "expected a whole number" }).default(IGNORE_INDEX)
    .describe("class index of ignored targets, which add neither loss nor gradient"),
  weight: weights.nullable().default(null).describe("weight of each class; null: all weigh the same"),
});

/**
 * Creates a softmax cross-entropy loss, like PyTorch's `CrossEntropyLoss`, of logits against class indices: `[n, classes]`
 * against `[n]`, tokens `[n, t, classes]` against `[n, t]`, or images `[n, classes, h, w]` against `[n, h, w]`. The loss is
 * the mean over all targets but those that are `ignoreIndex`, weighted by the targets' classes.
 *
 * @example
 * ```ts
 * import { crossEntropy } from "@tacho/tacho";
 *
 * const loss = crossEntropy({ labelSmoothing: 0.1 });
 * const padded = crossEntropy({ ignoreIndex: 0 });
 * const unbalanced = crossEntropy({ weight: [1, 1, 4] });
 * ```
 */
export function crossEntropy(options: CrossEntropyOptions = {}): CrossEntropySpec {
  return record(schema, options);
}

export const crossEntropyLoss: LossDef<typeof schema> & Required<Pick<LossDef<typeof schema>, "ofSample">> = {
  schema,
  targets: "classes",
  ignored: ({ ignoreIndex }) => ignoreIndex,
  apply: ({ kind: _, ...options }, output, target) => applyCrossEntropy(output, target, options),
  perSample({ kind: _, ...options }, output, target) {
    const logits = target.shape.length === 1 ? flatten(output) : output;
    const [loss, weight] = crossEntropyRows(logits, target, options);
    return { loss: sumBySample(loss), weight: sumBySample(weight) };
  },
  ofSample({ labelSmoothing, ignoreIndex, weight }, logits, target) {
    const classes = logits.length / target.length;
    const of = (k: number) => weight?.[k] ?? 1;
    const total = { loss: 0, weight: 0 };
    for (let row = 0; row < target.length; row++) {
      const hit = target[row]!;
      if (hit === ignoreIndex) continue;
      const x = Array.from({ length: classes }, (_, k) => logits[row * classes + k]!);
      const largest = Math.max(...x);
      const logSum = largest + Math.log(x.reduce((sum, v) => sum + Math.exp(v - largest), 0));
      total.weight += of(hit);
      total.loss += (1 - labelSmoothing) * of(hit) * (logSum - x[hit]!);
      for (let k = 0; k < classes; k++) total.loss += labelSmoothing / classes * of(k) * (logSum - x[k]!);
    }
    return total;
  },
};
