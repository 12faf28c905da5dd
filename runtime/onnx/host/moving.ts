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
import { stridesOf, walk } from "./walk.ts";

/** Returns a constant of `shape` whose element at an index is that of `x` at the index that `from` returns. */
export function moved(x: Constant, shape: Shape, from: (index: readonly number[]) => readonly number[]): Constant {
  const strides = stridesOf(x.shape);
  const values = valuesFor(x.kind, limitedSize(shape));
  const source = x.values;
  walk(shape, [], (i, index) => {
    const places = from(index);
    let place = 0;
    for (let d = 0; d < places.length; d++) place += places[d]! * strides[d]!;
    values[i] = source[place]!;
  });
  return Constant.of(x.kind, shape, values, x.type);
}

/** Like {@linkcode moved} for places that are `strides` apart along each dimension, from `start` on. */
export function strided(x: Constant, shape: Shape, strides: readonly number[], start = 0): Constant {
  const values = valuesFor(x.kind, limitedSize(shape));
  const source = x.values;
  walk(shape, [strides], (i, _, places) => values[i] = source[start + places[0]!]!);
  return Constant.of(x.kind, shape, values, x.type);
}

/** Returns a constant whose elements are computed from their index, which changes afterwards, and number. */
export function generated(
  kind: ElementKind,
  shape: Shape,
  element: (index: readonly number[], i: number) => number,
  type: string | null = null,
): Constant {
  const values = valuesFor(kind, limitedSize(shape));
  walk(shape, [], (i, index) => values[i] = element(index, i));
  return Constant.of(kind, shape, values, type);
}

/** Joins constants along an axis. */
export function joined(constants: readonly Constant[], axis: number): Constant {
  const [first] = constants as [Constant, ...Constant[]];
  const size = constants.reduce((sum, { shape }) => sum + shape[axis]!, 0);
  const shape = first.shape.with(axis, size);
  const inner = sizeOf(shape.slice(axis + 1));
  const odd = constants.find(({ shape: own }) => !sameShape(own.with(axis, size), shape));
  if (odd !== undefined) {
    throw new InputError(`cannot join ${formatShape(first.shape)} and ${formatShape(odd.shape)} along axis ${axis}`);
  }
  const values = valuesFor(first.kind, limitedSize(shape));
  const filled = constants.filter((constant) => constant.size > 0);
  for (let [row, at] = [0, 0]; at < values.length; row++) {
    for (const constant of filled) {
      const width = constant.shape[axis]! * inner;
      values.set(constant.values.subarray(row * width, (row + 1) * width), at);
      at += width;
    }
  }
  return Constant.of(first.kind, shape, values, first.type);
}

/** Returns an array for elements of a kind. */
export function valuesFor(kind: ElementKind, size: number): Float32Array | Float64Array {
  return kind === "float" ? new Float32Array(size) : new Float64Array(size);
}
