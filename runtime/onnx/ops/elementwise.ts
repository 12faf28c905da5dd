/**
 * Definitions of operators that work on each element.
 *
 * @module
 */
import { cast } from "../../../ops/cast.ts";
import type { Operand } from "../../../ops/elementwise_op.ts";
import { reshape } from "../../../ops/reshape.ts";
import { sameShape, type Shape } from "../../core/shape.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Application } from "../application.ts";
import type { ElementKind } from "../format/element_types.ts";
import { mapElements } from "../host.ts";
import type { Operator } from "../operator.ts";

/** Applies a function of floats; integers are converted and the result is rounded towards zero. */
export function onFloats(x: Tensor, apply: (x: Tensor) => Tensor): Tensor {
  return x.dtype === "i32" ? cast(apply(cast(x, "f32")), "i32") : apply(x);
}

/** Defines an operator of one tensor, and its value for a constant. */
export function unary(
  type: string,
  apply: (x: Tensor, node: Application) => Tensor,
  value: (x: number) => number,
  result: "same" | ElementKind = "same",
): Operator {
  return {
    type,
    build: (node) => onFloats(node.tensor(0), (x) => apply(x, node)),
    fold(node) {
      const x = node.constant(0, "the operand")!;
      return mapElements(type, [x], result === "same" ? x.kind : result, value);
    },
  };
}

/** Defines an operator as {@linkcode unary} does, whose function takes integers too. */
export function exactUnary(type: string, apply: (x: Tensor) => Tensor, value: (x: number) => number): Operator {
  return { ...unary(type, apply, value), build: (node) => apply(node.tensor(0)) };
}

/** An operator of two operands. */
export interface BinaryOptions {
  /** Kind of the result for constants; `same` is that of the operands. Default: `same`. */
  readonly result?: "same" | "boolean";
  /** True if the result has the element type of the first operand, whatever that of the second is. */
  readonly typed?: true;
  /** Value for constants that are integers; default: that of other constants. */
  readonly integers?: (a: number, b: number) => number;
}

/** Defines an operator of two operands, with NumPy broadcasting, and its value for constants. */
export function binary(
  type: string,
  apply: (a: Operand, b: Operand) => Tensor,
  value: (a: number, b: number) => number,
  { result = "same", integers = value, typed }: BinaryOptions = {},
): Operator {
  return {
    type,
    build(node) {
      const [a, b] = [typed === true ? node.tensor(0) : node.operand(0), aligned(node)];
      const y = typeof a === "number" && typeof b === "number"
        ? apply(node.tensor(0), b)
        : apply(...(typed === true ? [a, b] as const : alike(a, b)));
      return ofRank(y, Math.max(node.shape(0).length, node.shape(1).length));
    },
    fold(node) {
      const [a, given] = [node.constant(0, "the first operand")!, node.constant(1, "the second operand")!];
      const b = given.reshaped(alignedShape(node, given.shape));
      const kind = result === "same" ? a.kind : result;
      return mapElements(type, [a, b], kind, a.kind === "integer" ? integers : value);
    },
  };
}

/** Returns the second operand. */
function aligned(node: Application): Operand {
  const b = node.operand(1);
  const shape = alignedShape(node, node.shape(1));
  return typeof b === "number" || sameShape(shape, b.shape) ? b : reshape(b, shape);
}

/** Returns the shape of the second operand. Before version 7, its dimensions are those of the first from `axis` on. */
function alignedShape(node: Application, shape: Shape): Shape {
  if (node.opset >= 7) return shape;
  const { attributes } = node;
  const axis = attributes.integer("axis", -1);
  attributes.ignore("shapes that differ are broadcast", "broadcast");
  if (axis < 0) return shape;
  const after = node.shape(0).length - axis - shape.length;
  return [...shape, ...new Array<number>(Math.max(0, after)).fill(1)];
}

/** Returns operands of one element type: truth values, which are floats, beside integers become integers. */
export function alike(a: Operand, b: Operand): [Operand, Operand] {
  if (typeof a === "number" || typeof b === "number" || a.dtype === b.dtype) return [a, b];
  return [a.dtype === "i32" ? a : cast(a, "i32"), b.dtype === "i32" ? b : cast(b, "i32")];
}

/** Returns a tensor with dimensions of size 1 in front, as an operand of one element gives them to the result. */
export function ofRank(x: Tensor, rank: number): Tensor {
  return x.shape.length >= rank ? x : reshape(x, padded(x.shape, rank));
}

function padded(shape: Shape, rank: number): Shape {
  return [...new Array<number>(rank - shape.length).fill(1), ...shape];
}
