/**
 * Exponentials, logarithms and roots of each element.
 *
 * @module
 */
import type { Tensor } from "../runtime/graph/op.ts";
import { applyElementwise, defineElementwise } from "./elementwise_op.ts";

/** y = e^x; dx = dy y. */
export const expOp = defineElementwise({
  type: "exp",
  precision: "wide",
  operands: ["x"],
  value: "exp(x)",
  gradients: { x: { from: ["y"], value: "dy * y", flops: 1 } },
  flops: 1,
});

/** y = log x; dx = dy / x. */
export const logOp = defineElementwise({
  type: "log",
  precision: "wide",
  operands: ["x"],
  value: "log(x)",
  gradients: { x: { from: ["x"], value: "dy / x", flops: 1 } },
  flops: 1,
});

/** y = x^(1/2); dx = dy / (2 y). */
export const sqrtOp = defineElementwise({
  type: "sqrt",
  operands: ["x"],
  value: "sqrt(x)",
  gradients: { x: { from: ["y"], value: "0.5 * dy / y", flops: 2 } },
  flops: 1,
});

/** y = x^(-1/2); dx = -dy y^3 / 2. */
export const rsqrtOp = defineElementwise({
  type: "rsqrt",
  precision: "wide",
  operands: ["x"],
  value: "1.0 / sqrt(x)",
  gradients: { x: { from: ["y"], value: "-0.5 * dy * y * y * y", flops: 4 } },
  flops: 2,
});

/** Returns e to the power of each element. */
export function exp(x: Tensor): Tensor {
  return applyElementwise(expOp, [x]);
}

/** Returns the natural logarithm of each element. */
export function log(x: Tensor): Tensor {
  return applyElementwise(logOp, [x]);
}

/** Returns the square root of each element. */
export function sqrt(x: Tensor): Tensor {
  return applyElementwise(sqrtOp, [x]);
}

/** Returns `1 / sqrt(x)` of each element. */
export function rsqrt(x: Tensor): Tensor {
  return applyElementwise(rsqrtOp, [x]);
}
