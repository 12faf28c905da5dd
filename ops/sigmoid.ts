import type { Tensor } from "../runtime/graph/op.ts";
import { defineActivation, type NoAttrs } from "./activation.ts";

/** WGSL of the logistic function 1 / (1 + exp(-x)) that never exponentiates a positive number. */
export const SIGMOID = `fn sigmoid(x: vec4<f32>) -> vec4<f32> {
  let e = exp(-abs(x));
  return select(e, vec4<f32>(1.0), x >= vec4<f32>(0.0)) / (1.0 + e);
}`;

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
