/**
 * Arithmetic with NumPy broadcasting. Operands are tensors of one float type, or numbers.
 *
 * @module
 */
import type { Tensor } from "../runtime/graph/op.ts";
import { applyElementwise, checkOperands, defineElementwise, type Operand } from "./elementwise_op.ts";

/** y = a - b; da = dy, db = -dy. */
export const subOp = defineElementwise({
  type: "sub",
  aliases: { nnc: "Sub2", paddle: "elementwise_sub", mindinsight: "Sub" },
  operands: ["a", "b"],
  value: "a - b",
  gradients: { a: { from: [], value: "dy", flops: 0 }, b: { from: [], value: "-dy", flops: 1 } },
  integers: "i32",
  flops: 1,
});

/** y = a b; da = dy b, db = dy a. */
export const mulOp = defineElementwise({
  type: "mul",
  aliases: { singa: "EltwiseMult", nnc: "Mul2", paddle: "elementwise_mul", mindinsight: "Mul" },
  operands: ["a", "b"],
  value: "a * b",
  gradients: { a: { from: ["b"], value: "dy * b", flops: 1 }, b: { from: ["a"], value: "dy * a", flops: 1 } },
  integers: "i32",
  flops: 1,
});

/** y = a / b; da = dy / b, db = -dy a / b^2. */
export const divOp = defineElementwise({
  type: "div",
  aliases: { nnc: "Div2", paddle: "elementwise_div", mindinsight: "RealDiv" },
  operands: ["a", "b"],
  value: "a / b",
  gradients: {
    a: { from: ["b"], value: "dy / b", flops: 1 },
    b: { from: ["a", "b"], value: "-dy * (a / b) / b", flops: 4 },
  },
  flops: 1,
});

/** y = -x; dx = -dy. */
export const negOp = defineElementwise({
  type: "neg",
  aliases: { singa: "EltwiseMult", nnc: "MulScalar", paddle: "scale" },
  operands: ["x"],
  value: "-x",
  gradients: { x: { from: [], value: "-dy", flops: 1 } },
  integers: "i32",
  flops: 1,
});

/** y = |x|; dx = dy sign x. */
export const absOp = defineElementwise({
  type: "abs",
  operands: ["x"],
  value: "abs(x)",
  gradients: { x: { from: ["x"], value: "dy * sign(x)", flops: 2 } },
  integers: "i32",
  flops: 1,
});

/** y = -1, 0 or 1; dx = 0. */
export const signOp = defineElementwise({
  type: "sign",
  operands: ["x"],
  value: "sign(x)",
  gradients: {},
  integers: "i32",
  flops: 1,
});

/** Subtracts `b` from `a`. */
export function sub(a: Operand, b: Operand): Tensor {
  checkOperands(subOp, arguments);
  return applyElementwise(subOp, [a, b]);
}

/** Multiplies elementwise. */
export function mul(a: Operand, b: Operand): Tensor {
  checkOperands(mulOp, arguments);
  return applyElementwise(mulOp, [a, b]);
}

/** Divides `a` by `b`. */
export function div(a: Operand, b: Operand): Tensor {
  checkOperands(divOp, arguments);
  return applyElementwise(divOp, [a, b]);
}

/** Returns `-x`. */
export function neg(x: Tensor): Tensor {
  return applyElementwise(negOp, [x]);
}

/** Returns the magnitude of each element. */
export function abs(x: Tensor): Tensor {
  return applyElementwise(absOp, [x]);
}

/** Returns -1, 0 or 1 for each element; its gradient is 0. */
export function sign(x: Tensor): Tensor {
  return applyElementwise(signOp, [x]);
}
