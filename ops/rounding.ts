/**
 * Rounding of each element to whole numbers. The gradient is 0.
 *
 * @module
 */
import type { Tensor } from "../runtime/graph/op.ts";
import { applyElementwise, defineElementwise } from "./elementwise_op.ts";

const rounding = (type: string, value: string) =>
  defineElementwise({ type, operands: ["x"], value, gradients: {}, flops: 1 });

/** Largest whole number that is at most x. */
export const floorOp = rounding("floor", "floor(x)");

/** Smallest whole number that is at least x. */
export const ceilOp = rounding("ceil", "ceil(x)");

/** Nearest whole number; the even one of two. */
export const roundOp = rounding("round", "round(x)");

/** Returns the largest whole number that is at most each element. */
export function floor(x: Tensor): Tensor {
  return applyElementwise(floorOp, [x]);
}

/** Returns the smallest whole number that is at least each element. */
export function ceil(x: Tensor): Tensor {
  return applyElementwise(ceilOp, [x]);
}

/** Returns the whole number nearest to each element; the even one of two, as NumPy and PyTorch do. */
export function round(x: Tensor): Tensor {
  return applyElementwise(roundOp, [x]);
}
