import { z } from "zod";
import { SIGMOID } from "../../../ops/sigmoid.ts";
import { pointwiseLoss } from "../../../ops/pointwise_loss.ts";
import { record } from "../../data/kinds.ts";
import { pointwise } from "./loss_def.ts";
import type { BinaryCrossEntropySpec } from "./types.ts";

const schema = z.strictObject({ kind: z.literal("binaryCrossEntropy") });

/**
 * Creates a binary cross-entropy loss: the mean over all elements of the cross-entropy between sigmoid(logit) and a target
 * probability from 0 to 1, like PyTorch's `BCEWithLogitsLoss`. Computed as max(x, 0) - x t + log(1 + exp(-|x|)), whose exponent
 * is never positive.
 */
export function binaryCrossEntropy(): BinaryCrossEntropySpec {
  return record(schema, {});
}

/** Computes log(1 + e) for e from 0 to 1; below 1 / 32 by its series, since `1 + e` drops the last bits of e. */
const LOG1P = `fn log1p(e: vec4<f32>) -> vec4<f32> {
  let series = e * (1.0 - e * (0.5 - e * (1.0 / 3.0 - e * 0.25)));
  return select(log(1.0 + e), series, e < vec4<f32>(0.03125));
}`;

export const binaryCrossEntropyOp = pointwiseLoss({
  type: "binary_cross_entropy",
  aliases: {
    nnc: "SigmoidCrossEntropy",
    paddle: "sigmoid_cross_entropy_with_logits",
    mindinsight: "BCEWithLogitsLoss",
  },
  prelude: [LOG1P, SIGMOID],
  value: "max(a, V(0.0)) - a * b + log1p(exp(-abs(a)))",
  slope: { value: "sigmoid(a) - b" },
  flops: [9, 7],
});

export const binaryCrossEntropyLoss = pointwise(
  schema,
  binaryCrossEntropyOp,
  (x, t) => Math.max(x, 0) - x * t + Math.log1p(Math.exp(-Math.abs(x))),
);
