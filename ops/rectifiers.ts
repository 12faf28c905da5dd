/**
 * Rectifiers with a slope or a curve below zero, or with an upper limit.
 *
 * @module
 */
import type { Tensor } from "../runtime/graph/op.ts";
import { defineActivation, type NoAttrs } from "./activation.ts";
import { isNan } from "./kernels/nan.ts";

export interface LeakyReluAttrs {
  /** Slope below zero. */
  readonly negativeSlope: number;
}

export interface EluAttrs {
  /** Negative of the limit at minus infinity. */
  readonly alpha: number;
}

export interface SoftplusAttrs {
  readonly beta: number;
  /** Value of `beta x` above which y = x. */
  readonly threshold: number;
}

/** y = x above 0, slope x below; dx = dy or slope dy. */
export const leakyReluOp = defineActivation<LeakyReluAttrs>({
  type: "leaky_relu",
  aliases: { nnc: "LeakyReLU", mindinsight: "LeakyReLUExt" },
  gradientAliases: { mindinsight: "LeakyReLUGradExt" },
  variant: ({ negativeSlope }) => `${negativeSlope}`,
  value: ({ negativeSlope }) => `select(f32(${negativeSlope}) * x, x, x > vec4<f32>(0.0))`,
  derivativeFrom: "x",
  gradient: ({ negativeSlope }) => `select(f32(${negativeSlope}) * dy, dy, x > vec4<f32>(0.0))`,
  flops: [1, 1],
});

/** y = min(max(x, 0), 6); dx = dy where 0 < y < 6. */
export const relu6Op = defineActivation<NoAttrs>({
  type: "relu6",
  aliases: { nnc: "ReLU6", mindinsight: "ReLU6" },
  value: () => `select(clamp(x, vec4<f32>(0.0), vec4<f32>(6.0)), x, ${isNan("x")})`,
  derivativeFrom: "y",
  gradient: () => "select(vec4<f32>(0.0), dy, (y > vec4<f32>(0.0)) & (y < vec4<f32>(6.0)))",
  flops: [2, 0],
});

/** y = x above 0, alpha (e^x - 1) below; dx = dy or dy alpha e^x. */
export const eluOp = defineActivation<EluAttrs>({
  type: "elu",
  aliases: { nnc: "ELU" },
  variant: ({ alpha }) => `${alpha}`,
  prelude: () => [EXPM1],
  value: ({ alpha }) => `select(x, f32(${alpha}) * expMinus1(min(x, vec4<f32>(0.0))), x <= vec4<f32>(0.0))`,
  derivativeFrom: "x",
  gradient: ({ alpha }) =>
    `dy * select(f32(${alpha}) * exp(select(x, vec4<f32>(0.0), x > vec4<f32>(0.0))), vec4<f32>(1.0), x > vec4<f32>(0.0))`,
  flops: [4, 3],
});

/** e^x - 1 without cancellation near 0, where it is a Taylor polynomial. */
const EXPM1 = `fn expMinus1(x: vec4<f32>) -> vec4<f32> {
  let near = x * (1.0 + x * (0.5 + x * (0.16666667 + x * (0.041666667 + x * (8.3333333e-3 + x * 1.3888889e-3)))));
  return select(exp(x) - 1.0, near, abs(x) < vec4<f32>(0.3));
}`;

/** log(1 + x) for x from 0 to 1 without loss of small x, for which it is a Taylor polynomial. */
const LOG1P = `fn logOf1Plus(x: vec4<f32>) -> vec4<f32> {
  let near = x * (1.0 - x * (0.5 - x * (0.33333333 - x * 0.25)));
  return select(log(1.0 + x), near, x < vec4<f32>(0.01));
}`;

/** y = log(1 + e^(beta x)) / beta; dx = dy sigmoid(beta x). */
export const softplusOp = defineActivation<SoftplusAttrs>({
  type: "softplus",
  precision: "wide",
  aliases: { singa: "SoftPlus", nnc: "SoftPlus" },
  variant: ({ beta, threshold }) => `${beta}.${threshold}`,
  prelude: () => [LOG1P],
  value: ({ beta, threshold }) =>
    `select((max(x * f32(${beta}), vec4<f32>(0.0)) + logOf1Plus(exp(-abs(x * f32(${beta}))))) / f32(${beta}), x, ` +
    `x * f32(${beta}) > vec4<f32>(${threshold}))`,
  derivativeFrom: "x",
  gradient: ({ beta, threshold }) =>
    `select(dy / (1.0 + exp(-x * f32(${beta}))), dy, x * f32(${beta}) > vec4<f32>(${threshold}))`,
  flops: [8, 5],
});

/** Multiplies elements below zero by a slope. */
export function leakyRelu(x: Tensor, attrs: LeakyReluAttrs): Tensor {
  return x.graph.apply(leakyReluOp, attrs, [x])[0]!;
}

/** Limits elements to between 0 and 6. */
export function relu6(x: Tensor): Tensor {
  return x.graph.apply(relu6Op, {}, [x])[0]!;
}

/** Replaces elements below zero by `alpha (e^x - 1)`. */
export function elu(x: Tensor, attrs: EluAttrs): Tensor {
  return x.graph.apply(eluOp, attrs, [x])[0]!;
}

/** Applies `log(1 + e^(beta x)) / beta` to each element. */
export function softplus(x: Tensor, attrs: SoftplusAttrs): Tensor {
  return x.graph.apply(softplusOp, attrs, [x])[0]!;
}
