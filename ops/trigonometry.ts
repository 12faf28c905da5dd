/**
 * Sines, cosines and the error function of each element.
 *
 * @module
 */

import type { Tensor } from "../runtime/graph/op.ts";
import { applyElementwise, defineElementwise } from "./elementwise_op.ts";
import { SINE } from "./kernels/position_angles.ts";

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

/** y = arctan x; dx = dy / (1 + x^2). */
export const atanOp = defineElementwise({
  type: "atan",
  operands: ["x"],
  value: "atan(x)",
  gradients: { x: { from: ["x"], value: "dy / (1.0 + x * x)", flops: 3 } },
  flops: 1,
});

/** Returns the angle, in radians between -pi/2 and pi/2, whose tangent each element is. */
export function atan(x: Tensor): Tensor {
  return applyElementwise(atanOp, [x]);
}
