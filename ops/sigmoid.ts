import type { Tensor } from "../runtime/graph/op.ts";
import { defineActivation, type NoAttrs } from "./activation.ts";
import { SIGMOID } from "./kernels/sigmoid.ts";

/** y = 1 / (1 + exp(-x)); dx = dy y (1 - y). */
export const sigmoidOp = defineActivation<NoAttrs>({
  type: "sigmoid",
  prelude: () => [SIGMOID],
  value: () => "sigmoid(x)",
  derivativeFrom: "y",
  gradient: () => "dy * y * (1.0 - y)",
  flops: [5, 3],
});

/** Applies the logistic function to each element. */
export function sigmoid(x: Tensor): Tensor {
  return x.graph.apply(sigmoidOp, {}, [x])[0]!;
}
