import { type Shape, sizeOf } from "../../core/shape.ts";
import { Constant } from "../value.ts";
import { limited, limitedSize } from "./limit.ts";
import { stridesOf, walk } from "./walk.ts";

/**
 * Reduces a constant over axes, which are at least 0.
 *
 * @param reduce gets the elements of each result in an array that is used again
 */
export function reduceElements(
  { kind, shape, values }: Constant,
  axes: readonly number[],
  keepDims: boolean,
  reduce: (elements: Float64Array) => number,
): Constant {
  const isReduced = (_: number, d: number) => axes.includes(d);
  const isKept = (_: number, d: number) => !axes.includes(d);
  const strides = stridesOf(shape);
  const outer: Shape = shape.filter(isKept);
  const inner: Shape = shape.filter(isReduced);
  limitedSize(shape);
  const reduced = new Float64Array(limitedSize(outer));
  const elements = new Float64Array(limited(sizeOf(inner)));
  walk(outer, [strides.filter(isKept)], (o, _, [start]) => {
    walk(inner, [strides.filter(isReduced)], (i, _, [place]) => elements[i] = values[start! + place!]!);
    reduced[o] = reduce(elements);
  });
  return Constant.of(kind, keepDims ? shape.map((n, d) => axes.includes(d) ? 1 : n) : outer, reduced);
}
