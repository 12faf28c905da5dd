/**
 * Sigmoid-weighted units and their piecewise linear forms.
 *
 * @module
 */
import type { Tensor } from "../runtime/graph/op.ts";
import { defineActivation, type NoAttrs } from "./activation.ts";
import { isNan } from "./kernels/nan.ts";
import { SIGMOID } from "./sigmoid.ts";

/** y = x sigmoid(x); dx = dy s (1 + x (1 - s)) with s = sigmoid(x). */
export const siluOp = defineActivation<NoAttrs>({
  type: "silu",
  aliases: { nnc: "Swish", mindinsight: "SiLU" },
  prelude: () => [SIGMOID],
  value: () => "x * sigmoid(x)",
  derivativeFrom: "x",
  gradient: () => "dy * sigmoid(x) * (1.0 + x * sigmoid(-x))",
  flops: [6, 14],
});

/** y = min(max(x / 6 + 1/2, 0), 1); dx = dy / 6 where 0 < y < 1. */
export const hardSigmoidOp = defineActivation<NoAttrs>({
  type: "hard_sigmoid",
  aliases: { mindinsight: "HSigmoid" },
  value: () => `select(clamp(x / 6.0 + 0.5, vec4<f32>(0.0), vec4<f32>(1.0)), x, ${isNan("x")})`,
  derivativeFrom: "y",
  gradient: () => "select(vec4<f32>(0.0), dy / 6.0, (y > vec4<f32>(0.0)) & (y < vec4<f32>(1.0)))",
  flops: [4, 1],
});

/** y = x hardSigmoid(x); dx = dy (x / 3 + 1/2) between -3 and 3, dy above, 0 below. */
export const hardSwishOp = defineActivation<NoAttrs>({
  type: "hard_swish",
  aliases: { mindinsight: "HSwish" },
  value: () => "x * clamp(x / 6.0 + 0.5, vec4<f32>(0.0), vec4<f32>(1.0))",
  derivativeFrom: "x",
  gradient: () =>
    "dy * select(select(x / 3.0 + 0.5, vec4<f32>(1.0), x >= vec4<f32>(3.0)), vec4<f32>(0.0), " +
    "x <= vec4<f32>(-3.0))",
  flops: [5, 3],
});

/** Applies `x sigmoid(x)` to each element. */
export function silu(x: Tensor): Tensor {
  return x.graph.apply(siluOp, {}, [x])[0]!;
}

/** Applies `min(max(x / 6 + 1/2, 0), 1)` to each element. */
export function hardSigmoid(x: Tensor): Tensor {
  return x.graph.apply(hardSigmoidOp, {}, [x])[0]!;
}

/** Applies `x hardSigmoid(x)` to each element. */
export function hardSwish(x: Tensor): Tensor {
  return x.graph.apply(hardSwishOp, {}, [x])[0]!;
}
