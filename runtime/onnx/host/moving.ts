/**
 * Constants whose elements are those of another one in other places.
 *
 * @module
 */
import { InputError } from "../../core/errors.ts";
import { formatShape, sameShape, type Shape, sizeOf } from "../../core/shape.ts";
import type { ElementKind } from "../format/element_types.ts";
import { Constant } from "../value.ts";
import { limitedSize } from "./limit.ts";

/** Returns a constant of `shape` whose element at an index is that of `x` at the index that `from` returns. */
export function moved(x: Constant, shape: Shape, from: (index: readonly number[]) => readonly number[]): Constant {
  const size = limitedSize(shape);
  const strides = x.shape.map((_, d) => sizeOf(x.shape.slice(d + 1)));
  const values = valuesFor(x.kind, size);
  let i = 0;
  for (const index of indicesOf(shape)) {
    values[i++] = x.values[from(index).reduce((sum, place, d) => sum + place * strides[d]!, 0)]!;
  }
  return Constant.of(x.kind, shape, values, x.type);
}

/** Iterates over the indices of all elements, in row-major order. */
export function* indicesOf(shape: Shape): Generator<number[]> {
  const size = limitedSize(shape);
  for (let i = 0; i < size; i++) {
    const index = new Array<number>(shape.length);
    let left = i;
    for (let d = shape.length - 1; d >= 0; d--) {
      index[d] = left % shape[d]!;
      left = Math.floor(left / shape[d]!);
    }
    yield index;
  }
}

/** Joins constants along an axis. */
export function joined(constants: readonly Constant[], axis: number): Constant {
  const [first] = constants as [Constant, ...Constant[]];
  const size = constants.reduce((sum, { shape }) => sum + shape[axis]!, 0);
  const shape = first.shape.with(axis, size);
  const inner = sizeOf(shape.slice(axis + 1));
  const outer = sizeOf(shape.slice(0, axis));
  const odd = constants.find(({ shape: own }) => !sameShape(own.with(axis, size), shape));
  if (odd !== undefined) {
    throw new InputError(`cannot join ${formatShape(first.shape)} and ${formatShape(odd.shape)} along axis ${axis}`);
  }
  const values = valuesFor(first.kind, limitedSize(shape));
  let at = 0;
  for (let row = 0; row < outer; row++) {
    for (const constant of constants) {
      const width = constant.shape[axis]! * inner;
      values.set(constant.values.subarray(row * width, (row + 1) * width), at);
      at += width;
    }
  }
  return Constant.of(first.kind, shape, values, first.type);
}

function valuesFor(kind: ElementKind, size: number): Float32Array | Float64Array {
  return kind === "float" ? new Float32Array(size) : new Float64Array(size);
}
