/**
 * Comparisons of elements, with NumPy broadcasting. The result is 1 where the comparison holds and 0 elsewhere, in the
 * operands' element type, f32 for i32 operands. Comparisons have the gradient 0.
 *
 * @module
 */
import type { OpFacts, Tensor } from "../runtime/graph/op.ts";
import { applyElementwise, defineElementwise, type Operand } from "./elementwise_op.ts";
import { isNan as isNanCode } from "./kernels/nan.ts";

const comparison = (type: string, condition: string, aliases: OpFacts["aliases"] = {}) =>
  defineElementwise({
    type,
    aliases,
    operands: ["a", "b"],
    value: `select(vec4<f32>(0.0), vec4<f32>(1.0), ${condition})`,
    gradients: {},
    integers: "f32",
    flops: 1,
  });

/** 1 where a = b. */
export const equalOp = comparison("equal", "a == b", { singa: "EQ" });
/** 1 where a and b differ. Compilers of WGSL take `!=` as false where one is NaN. */
export const notEqualOp = comparison("not_equal", "!(a == b)");
/** 1 where a < b. */
export const lessOp = comparison("less", "a < b", { singa: "LT", paddle: "less_than" });
/** 1 where a <= b. */
export const lessEqualOp = comparison("less_equal", "a <= b", { singa: "LE" });
/** 1 where a > b. */
export const greaterOp = comparison("greater", "a > b", { singa: "GT", paddle: "greater_than" });
/** 1 where a >= b. */
export const greaterEqualOp = comparison("greater_equal", "a >= b", { singa: "GE" });

/** 1 where x is NaN, by its bits: compilers of WGSL may take a number to be equal to itself. */
export const isNanOp = defineElementwise({
  type: "is_nan",
  operands: ["x"],
  value: `select(vec4<f32>(0.0), vec4<f32>(1.0), ${isNanCode("x")})`,
  gradients: {},
  flops: 1,
});

/** Returns 1 where `a` and `b` are equal, 0 elsewhere. */
export function equal(a: Operand, b: Operand): Tensor {
  return applyElementwise(equalOp, [a, b]);
}

/** Returns 1 where `a` and `b` differ, 0 elsewhere. */
export function notEqual(a: Operand, b: Operand): Tensor {
  return applyElementwise(notEqualOp, [a, b]);
}

/** Returns 1 where `a` is below `b`, 0 elsewhere. */
export function less(a: Operand, b: Operand): Tensor {
  return applyElementwise(lessOp, [a, b]);
}

/** Returns 1 where `a` is at most `b`, 0 elsewhere. */
export function lessEqual(a: Operand, b: Operand): Tensor {
  return applyElementwise(lessEqualOp, [a, b]);
}

/** Returns 1 where `a` is above `b`, 0 elsewhere. */
export function greater(a: Operand, b: Operand): Tensor {
  return applyElementwise(greaterOp, [a, b]);
}

/** Returns 1 where `a` is at least `b`, 0 elsewhere. */
export function greaterEqual(a: Operand, b: Operand): Tensor {
  return applyElementwise(greaterEqualOp, [a, b]);
}

/** Returns 1 where `x` is NaN, 0 elsewhere. */
export function isNan(x: Tensor): Tensor {
  return applyElementwise(isNanOp, [x]);
}
