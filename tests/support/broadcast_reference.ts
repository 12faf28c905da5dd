import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import type { Values } from "./op_case.ts";

/** Returns the coordinates of element `i` of a row-major tensor. */
export function coordinates(shape: Shape, i: number): number[] {
  const at: number[] = [];
  for (const size of shape.toReversed()) {
    at.unshift(i % size);
    i = Math.floor(i / size);
  }
  return at;
}

/** Returns the place of coordinates in a row-major tensor. */
export function placeOf(shape: Shape, at: readonly number[]): number {
  return shape.reduce((place, size, d) => place * size + at[d]!, 0);
}

/** Broadcasts row-major values to a shape, element by element. */
export function broadcast(values: Values, from: Shape, to: Shape): Float64Array {
  return Float64Array.from({ length: sizeOf(to) }, (_, i) => {
    const at = coordinates(to, i).slice(to.length - from.length);
    return values[placeOf(from, at.map((n, d) => from[d] === 1 ? 0 : n))]!;
  });
}

/** Returns the shape to which two shapes are broadcast. */
export function shapeOfBoth(a: Shape, b: Shape): number[] {
  const rank = Math.max(a.length, b.length);
  const full = (shape: Shape) => [...new Array<number>(rank - shape.length).fill(1), ...shape];
  return full(a).map((n, d) => Math.max(n, full(b)[d]!));
}

/** Applies `fold` to the elements over `axes` in order and returns one number per remaining place, row-major. */
export function reduced(
  values: Values,
  shape: Shape,
  axes: readonly number[],
  fold: (elements: number[]) => number,
): Float64Array {
  const kept = shape.filter((_, d) => !axes.includes(d));
  const groups = Array.from({ length: sizeOf(kept) }, (): number[] => []);
  for (let i = 0; i < values.length; i++) {
    const at = coordinates(shape, i).filter((_, d) => !axes.includes(d));
    groups[placeOf(kept, at)]!.push(values[i]!);
  }
  return Float64Array.from(groups, fold);
}
