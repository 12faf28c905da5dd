import { type Shape, sizeOf } from "../../core/shape.ts";
import { Constant } from "../value.ts";

/** Reduces a constant over axes, which are at least 0. */
export function reduceElements(
  { kind, shape, values }: Constant,
  axes: readonly number[],
  keepDims: boolean,
  reduce: (elements: Float64Array) => number,
): Constant {
  const kept: Shape = shape.map((n, d) => axes.includes(d) ? 1 : n);
  const outer = offsetsOf(shape, (d) => !axes.includes(d));
  const inner = offsetsOf(shape, (d) => axes.includes(d));
  const reduced = outer.map((start) => reduce(Float64Array.from(inner, (offset) => values[start + offset]!)));
  return Constant.of(kind, keepDims ? kept : shape.filter((_, d) => !axes.includes(d)), reduced);
}

/** Returns the offsets of all elements of some dimensions, in row-major order. */
function offsetsOf(shape: Shape, isTaken: (dimension: number) => boolean): number[] {
  return shape.reduce((offsets, n, d) => {
    if (!isTaken(d)) return offsets;
    const stride = sizeOf(shape.slice(d + 1));
    return offsets.flatMap((offset) => Array.from({ length: n }, (_, i) => offset + i * stride));
  }, [0]);
}
