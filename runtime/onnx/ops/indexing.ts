/**
 * Operators that read and write elements by index.
 *
 * @module
 */
import { add } from "../../../ops/add.ts";
import { mul } from "../../../ops/arithmetic.ts";
import { cast } from "../../../ops/cast.ts";
import { where, whereOp } from "../../../ops/choice.ts";
import { less } from "../../../ops/comparisons.ts";
import { concat } from "../../../ops/concat.ts";
import { applyOperands } from "../../../ops/elementwise_op.ts";
import { gather, lookUp, replace, scatterSum, take } from "../../../ops/gather.ts";
import { applyIntegers, fitsIntegers } from "../../../ops/integer_elementwise.ts";
import { reduceIntegers } from "../../../ops/integer_reduction.ts";
import { oneHot } from "../../../ops/one_hot.ts";
import { reshape } from "../../../ops/reshape.ts";
import { slice } from "../../../ops/slice.ts";
import { swapAxes } from "../../../ops/transpose.ts";
import { InputError } from "../../core/errors.ts";
import { formatShape, sameShape, type Shape, sizeOf } from "../../core/shape.ts";
import type { Tensor } from "../../graph/op.ts";
import { isImages } from "../../graph/types.ts";
import type { Application } from "../application.ts";
import { limited, limitedSize, moved } from "../host.ts";
import type { Operator } from "../operator.ts";
import { Constant, isConstant, type Value } from "../value.ts";
import { axisOf } from "./reductions.ts";

/** Rows by index. Constant ones that follow each other are a part of the tensor. */
const rows: Operator = {
  type: "Gather",
  build(node) {
    const { shape } = node.value(0);
    const axis = axisOf(node.attributes.integer("axis", 0), shape);
    const indices = node.value(1);
    const result = [...shape.slice(0, axis), ...indices.shape, ...shape.slice(axis + 1)];
    const range = isConstant(indices) ? rangeOf(placesOf(indices, shape[axis]!)) : null;
    if (range !== null) {
      const x = node.tensor(0);
      const isWhole = range[0] === 0 && range[1] === shape[axis];
      return reshape(isWhole ? x : slice(x, shape.map((_, d) => d === axis ? range : null)), result);
    }
    const places = indexTensor(node, indices, shape[axis]!);
    const x = node.tensor(0);
    return axis === 0 && shape.length === 2 && !isImages(x.type)
      ? lookUp(x, places, null, WRAPS)
      : take(x, places, axis, WRAPS);
  },
  fold(node) {
    const x = node.constant(0, "the tensor")!;
    const axis = axisOf(node.attributes.integer("axis", 0), x.shape);
    const indices = node.constant(1, "the indices")!;
    const places = placesOf(indices, x.shape[axis]!);
    const strides = indices.shape.map((_, d) => sizeOf(indices.shape.slice(d + 1)));
    const rank = indices.shape.length;
    return moved(x, [...x.shape.slice(0, axis), ...indices.shape, ...x.shape.slice(axis + 1)], (index) => {
      const at = index.slice(axis, axis + rank).reduce((sum, i, d) => sum + i * strides[d]!, 0);
      return [...index.slice(0, axis), places[at]!, ...index.slice(axis + rank)];
    });
  },
};

/** Returns constant indices; negative ones count from the end. */
function placesOf(indices: Constant, size: number): number[] {
  limited(indices.size);
  return Array.from(indices.values, (index) => {
    const place = index < 0 ? index + size : index;
    if (place >= 0 && place < size) return place;
    throw new InputError(`the index ${index} is out of range; expected ${-size} to ${size - 1}`);
  });
}

/** Returns the range of indices that follow each other, or null. */
function rangeOf(places: readonly number[]): readonly [number, number] | null {
  const [first] = places;
  if (first === undefined || places.some((place, i) => place !== first + i)) return null;
  return [first, first + places.length];
}

/** Indices that depend on the model's input may be negative, too. */
const WRAPS = { wraps: true } as const;

/** Returns indices as a tensor, for reads and writes that count negative ones from the end. */
function indexTensor(node: Application, indices: Value, size: number): Tensor {
  if (isConstant(indices)) {
    return node.toTensor(Constant.of("integer", indices.shape, placesOf(indices, size)), "indices");
  }
  if (indices.dtype !== "i32") throw new InputError("the indices are floats; expected integers");
  return indices;
}

const elements: Operator = {
  type: "GatherElements",
  build(node) {
    const x = node.tensor(0);
    const axis = axisOf(node.attributes.integer("axis", 0), x.shape);
    return gather(x, axis, indexTensor(node, node.value(1), x.shape[axis]!), WRAPS);
  },
};

/** Parts of a tensor by indices of its first dimensions. */
const parts: Operator = {
  type: "GatherND",
  build(node) {
    const x = node.tensor(0);
    const batch = node.attributes.integer("batch_dims", 0);
    const { flat, count, shape } = flatIndices(node, x.shape, batch);
    const inner = x.shape.slice(batch + count);
    const table = reshape(x, [sizeOf(x.shape.slice(0, batch + count)), sizeOf(inner)]);
    return reshape(take(table, flat), [...shape, ...inner]);
  },
};

/**
 * Returns the indices of a node as places in the flattened first dimensions of a tensor.
 *
 * @param batch leading dimensions that tensor and indices share
 */
function flatIndices(node: Application, shape: Shape, batch: number): { flat: Tensor; count: number; shape: Shape } {
  const indices = node.value(1);
  const count = indices.shape.at(-1);
  if (count === undefined || count + batch > shape.length) {
    throw new InputError(`indices ${formatShape(indices.shape)} do not fit a tensor ${formatShape(shape)}`);
  }
  const rowsShape = indices.shape.slice(0, -1);
  const sizes = shape.slice(0, batch + count);
  const strides = sizes.map((_, d) => sizeOf(sizes.slice(d + 1)));
  const perBatch = sizeOf(rowsShape.slice(batch));
  const total = limitedSize(rowsShape);
  const firstOf = (row: number) => Math.floor(row / perBatch) * sizeOf(sizes.slice(batch));
  if (isConstant(indices)) {
    const flat = Array.from({ length: total }, (_, row) => {
      const own = [...indices.values.slice(row * count, (row + 1) * count)];
      return own.reduce(
        (sum, index, i) => sum + placesOf(Constant.integers([index]), sizes[batch + i]!)[0]! * strides[batch + i]!,
        firstOf(row),
      );
    });
    return { flat: node.toTensor(Constant.integers(flat), "places"), count, shape: rowsShape };
  }
  if (indices.dtype !== "i32") throw new InputError("the indices are floats; expected integers");
  const own = reshape(indices, [total, count]);
  const constant = (values: readonly number[], name: string) => node.toTensor(Constant.integers(values), name);
  const positive = where(less(own, 0), add(own, constant(sizes.slice(batch), "sizes")), own);
  const places = reduceIntegers(mul(positive, constant(strides.slice(batch), "strides")), "sum", { axes: 1 });
  const starts = Array.from({ length: total }, (_, row) => firstOf(row));
  const isShared = starts.every((start) => start === 0);
  return { flat: isShared ? places : add(places, constant(starts, "starts")), count, shape: rowsShape };
}

/** Replaces elements by index, or adds to them. Indices may cover a part of the other dimensions. */
function scatterElements(type: string): Operator {
  return {
    type,
    build(node) {
      const x = node.tensor(0);
      const axis = axisOf(node.attributes.integer("axis", 0), x.shape);
      const indices = indexTensor(node, node.value(1), x.shape[axis]!);
      const covered = indices.shape;
      if (covered.length !== x.shape.length || covered.some((n, d) => d !== axis && n > x.shape[d]!)) {
        throw new InputError(
          `indices ${formatShape(covered)} do not fit into ${formatShape(x.shape)} but along axis ${axis}`,
        );
      }
      if (!sameShape(node.shape(2), covered)) {
        throw new InputError(
          `updates ${formatShape(node.shape(2))} for indices ${formatShape(covered)}; expected one shape`,
        );
      }
      const part = slice(x, covered.map((n, d) => d === axis ? null : [0, n]));
      // The rest of each dimension follows the part, from the last dimension to the first
      return covered.reduceRight((y, n, d) => {
        if (d === axis || n === x.shape[d]) return y;
        const rest = covered.map((size, e) =>
          e === d ? [n, x.shape[d]!] as const : e < d && e !== axis ? [0, size] as const : null
        );
        return concat([y, slice(x, rest)], d);
      }, written(node, part, axis, indices, updatesOf(node, x)));
    },
  };
}

/** Returns the elements to write, in the type of the tensor. */
function updatesOf(node: Application, { dtype }: Tensor): Tensor {
  return dtype === "i32" ? cast(node.tensor(2), "i32") : node.floats(2);
}

/** Replaces parts by indices of the first dimensions, or adds to them. */
const scatterParts: Operator = {
  type: "ScatterND",
  build(node) {
    const x = node.tensor(0);
    const { flat, count } = flatIndices(node, x.shape, 0);
    const inner = sizeOf(x.shape.slice(count));
    const places = sizeOf(flat.shape);
    const table = reshape(x, [sizeOf(x.shape.slice(0, count)), inner]);
    const updates = reshape(updatesOf(node, x), [places, inner]);
    return reshape(written(node, table, 0, reshape(flat, [places]), updates), x.shape);
  },
};

/** Writes `updates` to the places of indices of the same shape, or rows of them to those of a list of indices. */
function written(node: Application, x: Tensor, axis: number, indices: Tensor, updates: Tensor): Tensor {
  const reduction = node.attributes.string("reduction", "none");
  if (reduction === "none") return replace(x, axis, indices, updates, WRAPS);
  if (reduction !== "add") throw new InputError(`reduction is "${reduction}"; expected none or add`);
  const sumOf = (elements: Tensor) => scatterSum(x.shape, axis, indices, elements, WRAPS);
  if (x.dtype !== "i32") return add(x, sumOf(updates));
  // Sums of halves of integers are exact in floats
  const half = (name: string, value: string) =>
    cast(sumOf(cast(applyIntegers({ name, operands: ["x"], value, dtype: "i32" }, [updates]), "f32")), "i32");
  const [low, high] = [half("low", "x & vec4<i32>(65535)"), half("high", "x >> vec4<u32>(16u)")];
  return add(x, add(low, mul(high, 65536)));
}

/** Indices as rows with the second of two values at the index, and the first elsewhere. */
const hot: Operator = {
  type: "OneHot",
  build(node) {
    const depth = node.number(1, "the depth")!;
    const [off, on] = node.list(2, "the values") ?? [];
    if (off === undefined || on === undefined) throw new InputError("expected two values, for off and on");
    const given = node.value(0);
    const indices = isConstant(given)
      ? node.toTensor(Constant.of("integer", given.shape, given.values), "indices")
      : given.dtype === "i32"
      ? given
      : cast(given, "i32");
    const rank = indices.shape.length;
    const axis = axisOf(node.attributes.integer("axis", -1), [...indices.shape, depth]);
    let y = oneHot(where(less(indices, 0), add(indices, depth), indices), depth);
    for (let d = rank; d > axis; d--) y = swapAxes(y, d, d - 1);
    const { kind } = node.constant(2, "the values")!;
    if (kind !== "integer") return off === 0 && on === 1 ? y : applyOperands(whereOp, [y, on, off]);
    if ([off, on].every(fitsIntegers)) return applyIntegers(whereOp.integers!, [y, on, off]);
    throw new InputError(`the values are ${off} and ${on}; expected integers of 32 bits`);
  },
};

export const INDEXING: readonly Operator[] = [
  elements,
  hot,
  parts,
  rows,
  scatterElements("Scatter"),
  scatterElements("ScatterElements"),
  scatterParts,
];
