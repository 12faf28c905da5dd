/**
 * Operators that make tensors from shapes and numbers.
 *
 * @module
 */
import { where } from "../../../ops/choice.ts";
import { tril, triu } from "../../../ops/triangle.ts";
import { InputError } from "../../core/errors.ts";
import { formatShape, type Shape, sizeOf } from "../../core/shape.ts";
import { elementType } from "../format/element_types.ts";
import { generated, limited, limitedSize, valuesFor, walk } from "../host.ts";
import type { Operator } from "../operator.ts";
import { Constant, isConstant } from "../value.ts";

const filled: Operator = {
  type: "ConstantOfShape",
  build(node) {
    const value = node.surroundings.elements(node.attributes, "value");
    const shape = node.list(0, "the shape")!;
    const kind = value?.kind ?? "float";
    return Constant.of(kind, shape, valuesFor(kind, limitedSize(shape)).fill(value?.values[0] ?? 0));
  },
};

const range: Operator = {
  type: "Range",
  build(node) {
    const [start, limit, delta] = ["the start", "the limit", "the step"].map((what, i) => node.number(i, what)!) as [
      number,
      number,
      number,
    ];
    if (delta === 0) throw new InputError("the step is 0; expected another number");
    const count = limited(Math.max(0, Math.ceil((limit - start) / delta)));
    const { kind } = node.constant(0, "the start")!;
    return Constant.of(kind, [count], Float64Array.from({ length: count }, (_, i) => start + i * delta));
  },
};

/** @throws {InputError} if a shape has fewer dimensions than a matrix */
function matrixShape(shape: Shape): Shape {
  if (shape.length >= 2) return shape;
  throw new InputError(`expected a matrix, got ${formatShape(shape)}`);
}

/** 1 on a diagonal, 0 elsewhere, in the shape of a matrix. */
const diagonal: Operator = {
  type: "EyeLike",
  build(node) {
    const given = node.value(0);
    const kind = node.attributes.has("dtype")
      ? elementType(node.attributes.integer("dtype", 1), "the result").kind
      : isConstant(given)
      ? given.kind
      : node.isBoolean(0)
      ? "boolean"
      : given.dtype === "i32"
      ? "integer"
      : "float";
    const shape = matrixShape(node.shape(0));
    const k = node.attributes.integer("k", 0);
    return generated(kind, shape, ([i, j]) => j! - i! === k ? 1 : 0);
  },
};

const size: Operator = { type: "Size", build: (node) => Constant.of("integer", [], [sizeOf(node.shape(0))]) };

/** Keeps a triangle of matrices. */
const triangle: Operator = {
  type: "Trilu",
  build(node) {
    const k = node.number(1, "the diagonal") ?? 0;
    const x = node.tensor(0);
    const [rows, columns] = matrixShape(x.shape).slice(-2) as [number, number];
    if (x.dtype === "i32") {
      const isUpper = node.attributes.integer("upper", 1) !== 0;
      const kept = generated("float", [rows, columns], ([i, j]) => isKept(j! - i!, k, isUpper) ? 1 : 0);
      return where(node.toTensor(kept, "kept"), x, 0);
    }
    return node.attributes.integer("upper", 1) !== 0 ? triu(x, { diagonal: k }) : tril(x, { diagonal: k });
  },
  fold(node) {
    const k = node.number(1, "the diagonal") ?? 0;
    const isUpper = node.attributes.integer("upper", 1) !== 0;
    const x = node.constant(0, "the tensor")!;
    matrixShape(x.shape);
    const isKeptAt = (index: readonly number[]) => isKept(index.at(-1)! - index.at(-2)!, k, isUpper);
    return generated(x.kind, x.shape, (index, i) => isKeptAt(index) ? x.values[i]! : 0, x.type);
  },
};

/** Returns true for an element at this distance to the right of the main diagonal. */
function isKept(distance: number, k: number, isUpper: boolean): boolean {
  return isUpper ? distance >= k : distance <= k;
}

/** Indices of the elements of a constant that are not 0, one column each. */
const nonZero: Operator = {
  type: "NonZero",
  build(node) {
    const x = node.constant(0, "the tensor")!;
    limitedSize(x.shape);
    const rank = x.shape.length;
    let count = 0;
    for (const value of x.values) if (value !== 0) count++;
    const places = valuesFor("integer", limited(rank * count));
    let column = 0;
    walk(x.shape, [], (i, index) => {
      if (x.values[i] === 0) return;
      for (let d = 0; d < rank; d++) places[d * count + column] = index[d]!;
      column++;
    });
    return Constant.of("integer", [rank, count], places);
  },
};

export const GENERATORS: readonly Operator[] = [diagonal, filled, nonZero, range, size, triangle];
