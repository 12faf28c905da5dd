/**
 * Ops that choose between values: extremes and `where`.
 *
 * @module
 */
import type { Tensor } from "../runtime/graph/op.ts";
import { InputError } from "../runtime/core/errors.ts";
import { checkNumber, checkOptions, checkTensors } from "./check_arguments.ts";
import { applyElementwise, applyOperands, checkOperands, defineElementwise, type Operand } from "./elementwise_op.ts";
import { isNan } from "./kernels/nan.ts";

/** WGSL of a gradient's share where operands compare: 1 for the chosen one, 1/2 for both where they are equal. */
const share = (chosen: string) =>
  `dy * select(select(vec4<f32>(0.0), vec4<f32>(0.5), a == b), vec4<f32>(1.0), ${chosen})`;

/** WGSL of a condition that is not 0, or NaN, for which compilers take `!=` as false. */
const TRUE = "!(condition == vec4<f32>(0.0))";

/** y = min(a, b); the gradient goes to the smaller operand, in equal parts if both are equal. */
export const minimumOp = defineElementwise({
  type: "minimum",
  aliases: { nnc: "Minimum2", paddle: "elementwise_min", mindinsight: "Minimum" },
  operands: ["a", "b"],
  value: `select(min(a, b), a + b, ${isNan("a")} | ${isNan("b")})`,
  gradients: {
    a: { from: ["a", "b"], value: share("a < b"), flops: 1 },
    b: { from: ["a", "b"], value: share("b < a"), flops: 1 },
  },
  integers: "i32",
  integerValue: "min(a, b)",
  flops: 1,
});

/** y = max(a, b); the gradient goes to the larger operand, in equal parts if both are equal. */
export const maximumOp = defineElementwise({
  type: "maximum",
  aliases: { nnc: "Maximum2", paddle: "elementwise_max", mindinsight: "Maximum" },
  operands: ["a", "b"],
  value: `select(max(a, b), a + b, ${isNan("a")} | ${isNan("b")})`,
  gradients: {
    a: { from: ["a", "b"], value: share("a > b"), flops: 1 },
    b: { from: ["a", "b"], value: share("b > a"), flops: 1 },
  },
  integers: "i32",
  integerValue: "max(a, b)",
  flops: 1,
});

/** y = min(max(x, low), high); dx = dy where low <= x <= high, 0 elsewhere. */
export const clampOp = defineElementwise({
  type: "clamp",
  aliases: { nnc: "MinimumScalar", paddle: "clip", mindinsight: "ClipByValue" },
  operands: ["x", "low", "high"],
  value: `select(min(max(x, low), high), x, ${isNan("x")})`,
  gradients: {
    x: { from: ["x", "low", "high"], value: "select(vec4<f32>(0.0), dy, (x >= low) & (x <= high))", flops: 0 },
  },
  integers: "i32",
  integerValue: "min(max(x, low), high)",
  flops: 2,
});

/** y = a where the condition is not 0, b elsewhere; the gradient goes to the operand that was chosen. */
export const whereOp = defineElementwise({
  type: "where",
  aliases: { mindinsight: "Select" },
  operands: ["condition", "a", "b"],
  conditions: ["condition"],
  value: `select(b, a, ${TRUE})`,
  gradients: {
    a: { from: ["condition"], value: `select(vec4<f32>(0.0), dy, ${TRUE})`, flops: 0 },
    b: { from: ["condition"], value: `select(dy, vec4<f32>(0.0), ${TRUE})`, flops: 0 },
  },
  integers: "i32",
  flops: 0,
});

/** Returns the smaller of two elements, NaN if either is. Where they are equal, each receives half of the gradient. */
export function minimum(a: Operand, b: Operand): Tensor {
  checkOperands(minimumOp, arguments);
  return applyElementwise(minimumOp, [a, b]);
}

/** Returns the larger of two elements, NaN if either is. Where they are equal, each receives half of the gradient. */
export function maximum(a: Operand, b: Operand): Tensor {
  checkOperands(maximumOp, arguments);
  return applyElementwise(maximumOp, [a, b]);
}

/**
 * Limits each element to at least `low` and at most `high`. Either may be left out.
 *
 * @throws {InputError} if `low` is above `high`
 */
export function clamp(x: Tensor, limits: { readonly low?: number; readonly high?: number }): Tensor {
  checkOptions("clamp", limits, ["low", "high"]);
  checkTensors("clamp", [x]);
  const { low = -Infinity, high = Infinity } = limits;
  checkNumber("clamp", "low", low);
  checkNumber("clamp", "high", high);
  if (!(low <= high)) throw new InputError(`clamp expects low <= high, got ${low} and ${high}`);
  return applyOperands(clampOp, [x, low, high]);
}

/** Returns `a` where `condition` is not 0, and `b` elsewhere. The condition may have any element type. */
export function where(condition: Tensor, a: Operand, b: Operand): Tensor {
  return applyElementwise(whereOp, [condition, a, b]);
}
