import type { Tensor } from "../runtime/graph/op.ts";
import { defineActivation } from "./activation.ts";
import { SIGMOID } from "./sigmoid.ts";

/** Forms: `none` computes x P(X <= x) for a standard normal X with the error function; `tanh` approximates it. */
export const GELU_FORMS = ["none", "tanh"] as const;

export interface GeluAttrs {
  readonly approximate: (typeof GELU_FORMS)[number];
}

/**
 * Normal distribution function P(X <= x) = erfc(-x / sqrt 2) / 2. The complementary error function is the Chebyshev fit
 * `erfcc` of W. H. Press et al., "Numerical Recipes in C", 6.2, whose relative error is below 1.2e-7 everywhere.
 */
const NORMAL = `fn normalBelow(x: vec4<f32>) -> vec4<f32> {
  let z = abs(x) * 0.70710678;
  let t = 1.0 / (1.0 + 0.5 * z);
  let p = -1.26551223 + t * (1.00002368 + t * (0.37409196 + t * (0.09678418 + t * (-0.18628806 +
    t * (0.27886807 + t * (-1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277))))))));
  let tail = 0.5 * t * exp(p - z * z);
  return select(tail, 1.0 - tail, x >= vec4<f32>(0.0));
}
fn geluGradient(x: vec4<f32>) -> vec4<f32> {
  return normalBelow(x) + x * 0.39894228 * exp(-0.5 * x * x);
}`;

/**
 * y = x (1 + tanh v) / 2 = x sigmoid(2 v) with v = sqrt(2 / pi) (x + 0.044715 x^3) (D. Hendrycks and K. Gimpel,
 * arXiv:1606.08415).
 */
const APPROXIMATION = `fn geluTanh(x: vec4<f32>) -> vec4<f32> {
  return sigmoid(1.59576912 * (x + 0.044715 * x * x * x));
}
fn geluTanhGradient(x: vec4<f32>) -> vec4<f32> {
  let s = geluTanh(x);
  return s + x * s * (1.0 - s) * 1.59576912 * (1.0 + 3.0 * 0.044715 * x * x);
}`;

/** Gaussian error linear unit: y = x P(X <= x); dx = dy (P(X <= x) + x p(x)), with the normal density p. */
export const geluOp = defineActivation<GeluAttrs>({
  type: "gelu",
  aliases: { nnc: "GELU", mindinsight: "GeLU" },
  variant: (attrs) => attrs.approximate === "tanh" ? "tanh" : "erf",
  prelude: (attrs) => attrs.approximate === "tanh" ? [SIGMOID, APPROXIMATION] : [NORMAL],
  value: (attrs) => attrs.approximate === "tanh" ? "x * geluTanh(x)" : "x * normalBelow(x)",
  derivativeFrom: "x",
  gradient: (attrs) => attrs.approximate === "tanh" ? "dy * geluTanhGradient(x)" : "dy * geluGradient(x)",
  flops: (attrs) => attrs.approximate === "tanh" ? [11, 20] : [28, 34],
});

/** Applies the Gaussian error linear unit to each element; exact unless `approximate` is `tanh`, as in PyTorch. */
export function gelu(x: Tensor, options: Partial<GeluAttrs> = {}): Tensor {
  return x.graph.apply(geluOp, { approximate: options.approximate ?? "none" }, [x])[0]!;
}
