/**
 * Sines, cosines and the error function of each element.
 *
 * @module
 */
import type { Tensor } from "../runtime/graph/op.ts";
import { applyElementwise, defineElementwise } from "./elementwise_op.ts";

/**
 * WGSL of sin and cos by quadrants: WGSL's own are precise to 2^-11 within one turn only. The argument is reduced by
 * multiples of pi / 2 in three parts (W. Cody and W. Waite, 1980); the polynomials are those of Cephes' `sinf` and
 * `cosf`. Precise for |x| below about 8000.
 */
const SINE = `fn sineAt(x: vec4<f32>, quarter: f32) -> vec4<f32> {
  let turns = round(x * 0.63661977);
  let r = ((x - turns * 1.5703125) - turns * 4.837512969970703125e-4) - turns * 7.549789948768648e-8;
  let quadrant = (vec4<i32>(turns) + vec4<i32>(i32(quarter))) & vec4<i32>(3);
  let z = r * r;
  let sine = ((-1.9515295891e-4 * z + 8.3321608736e-3) * z - 1.6666654611e-1) * z * r + r;
  let cosine = ((2.443315711809948e-5 * z - 1.388731625493765e-3) * z + 4.166664568298827e-2) * z * z - 0.5 * z + 1.0;
  let value = select(sine, cosine, (quadrant & vec4<i32>(1)) != vec4<i32>(0));
  return select(value, -value, (quadrant & vec4<i32>(2)) != vec4<i32>(0));
}`;

/**
 * WGSL of the error function: its Taylor series at 0 for |x| < 1, and 1 - erfc(x) with the Chebyshev fit `erfcc` of W. H.
 * Press et al., "Numerical Recipes in C", 6.2, elsewhere.
 */
const ERROR = `fn errorFunction(x: vec4<f32>) -> vec4<f32> {
  let z = x * x;
  let near = x * (1.12837917 + z * (-0.376126389 + z * (0.112837917 + z * (-0.0268661706 + z * (0.00522397762 +
    z * (-8.54832702e-4 + z * (1.20553330e-4 + z * (-1.49256504e-5 + z * (1.64621137e-6 - z * 1.63658447e-7)))))))));
  let size = abs(x);
  let t = 1.0 / (1.0 + 0.5 * size);
  let p = -1.26551223 + t * (1.00002368 + t * (0.37409196 + t * (0.09678418 + t * (-0.18628806 +
    t * (0.27886807 + t * (-1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277))))))));
  let far = sign(x) * (1.0 - t * exp(p - z));
  return select(far, near, size < vec4<f32>(1.0));
}`;

/** y = sin x; dx = dy cos x. */
export const sinOp = defineElementwise({
  type: "sin",
  operands: ["x"],
  prelude: [SINE],
  value: "sineAt(x, 0.0)",
  gradients: { x: { from: ["x"], value: "dy * sineAt(x, 1.0)", flops: 2 } },
  flops: 1,
});

/** y = cos x; dx = -dy sin x. */
export const cosOp = defineElementwise({
  type: "cos",
  operands: ["x"],
  prelude: [SINE],
  value: "sineAt(x, 1.0)",
  gradients: { x: { from: ["x"], value: "-dy * sineAt(x, 0.0)", flops: 3 } },
  flops: 1,
});

/** y = 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x; dx = dy 2 / sqrt(pi) e^(-x^2). */
export const erfOp = defineElementwise({
  type: "erf",
  operands: ["x"],
  prelude: [ERROR],
  value: "errorFunction(x)",
  gradients: { x: { from: ["x"], value: "dy * 1.12837917 * exp(-x * x)", flops: 5 } },
  flops: 27,
});

/** Returns the sine of each element, in radians. */
export function sin(x: Tensor): Tensor {
  return applyElementwise(sinOp, [x]);
}

/** Returns the cosine of each element, in radians. */
export function cos(x: Tensor): Tensor {
  return applyElementwise(cosOp, [x]);
}

/** Returns the error function of each element. */
export function erf(x: Tensor): Tensor {
  return applyElementwise(erfOp, [x]);
}
