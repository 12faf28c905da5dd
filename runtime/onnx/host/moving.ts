/**
 * Constants whose elements are those of another one in other places.
 *
 * @module
 */
import { type Shape, sizeOf } from "../../core/shape.ts";
import { limited } from "./limit.ts";
import { Constant } from "../value.ts";

/** Returns a constant of `shape` whose element at an index is that of `x` at the index that `from` returns. */
export function moved(x: Constant, shape: Shape, from: (index: readonly number[]) => readonly number[]): Constant {
  const strides = x.shape.map((_, d) => sizeOf(x.shape.slice(d + 1)));
  const values = Array.from(indicesOf(shape), (index) => {
    const place = from(index).reduce((sum, i, d) => sum + i * strides[d]!, 0);
    return x.values[place]!;
  });
  return Constant.of(x.kind, shape, values);
}

/** Iterates over the indices of all elements, in row-major order. */
export function* indicesOf(shape: Shape): Generator<number[]> {
  const size = limited(sizeOf(shape));
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
  const values: number[] = [];
  for (let row = 0; row < outer; row++) {
    for (const constant of constants) {
      const width = constant.shape[axis]! * inner;
      for (let i = 0; i < width; i++) values.push(constant.values[row * width + i]!);
    }
  }
  return Constant.of(first.kind, shape, values);
}
