import { type Shape, sizeOf } from "../../core/shape.ts";

/**
 * Visits the elements of a shape in row-major order.
 *
 * @param strides distances between neighbours along each dimension, for each of several arrays
 * @param visit called with the element's number, its index and its place in each array; both lists change afterwards
 */
export function walk(
  shape: Shape,
  strides: readonly (readonly number[])[],
  visit: (i: number, index: readonly number[], places: readonly number[]) => void,
): void {
  const size = sizeOf(shape);
  const index = new Array<number>(shape.length).fill(0);
  const places = new Array<number>(strides.length).fill(0);
  for (let i = 0; i < size; i++) {
    visit(i, index, places);
    for (let d = shape.length - 1; d >= 0; d--) {
      const isCarried = ++index[d]! === shape[d]!;
      for (let k = 0; k < places.length; k++) {
        places[k]! += isCarried ? strides[k]![d]! * (1 - shape[d]!) : strides[k]![d]!;
      }
      if (!isCarried) break;
      index[d] = 0;
    }
  }
}

/** Returns the distances between neighbours along each dimension of a row-major array. */
export function stridesOf(shape: Shape): number[] {
  return shape.map((_, d) => sizeOf(shape.slice(d + 1)));
}

/** Returns the strides of a shape in a larger one to which it is broadcast: 0 along repeated dimensions. */
export function broadcastStrides(from: Shape, to: Shape): number[] {
  const strides = stridesOf(from).map((stride, d) => from[d] === 1 ? 0 : stride);
  return [...new Array<number>(to.length - from.length).fill(0), ...strides];
}
