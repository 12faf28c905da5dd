import type { Tensor } from "../runtime/graph/op.ts";
import { defineActivation, type NoAttrs } from "./activation.ts";

/**
 * WGSL of the hyperbolic tangent: (1 - e) / (1 + e) with e = exp(-2 |x|), which does not overflow, and the Taylor
 * series up to x^9 where that formula would cancel.
 */
const HYPERBOLIC_TANGENT = `fn hyperbolicTangent(x: vec4<f32>) -> vec4<f32> {
  let a = abs(x);
  let e = exp(-2.0 * a);
  let s = x * x;
  let series = a * (1.0 + s * (-1.0 / 3.0 + s * (2.0 / 15.0 + s * (-17.0 / 315.0 + s * (62.0 / 2835.0)))));
  return sign(x) * select((1.0 - e) / (1.0 + e), series, a < vec4<f32>(0.3));
}`;

/** y = tanh(x); dx = dy (1 - y^2). */
export const tanhOp = defineActivation<NoAttrs>({
  type: "tanh",
  prelude: () => [HYPERBOLIC_TANGENT],
  value: () => "hyperbolicTangent(x)",
  derivativeFrom: "y",
  gradient: () => "dy * (1.0 - y * y)",
  flops: [15, 3],
});

/** Applies the hyperbolic tangent to each element. */
export function tanh(x: Tensor): Tensor {
  return x.graph.apply(tanhOp, {}, [x])[0]!;
}
