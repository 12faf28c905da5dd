/**
 * Operations that move elements.
 *
 * @module
 */
import { count, type Tape, Value } from "./value.ts";

/** Returns a tensor whose element i is element `from(place of i)` of x, or 0 where that is null. */
function moved(
  tape: Tape,
  x: Value,
  shape: readonly number[],
  from: (place: readonly number[]) => readonly number[] | null,
): Value {
  const sources = Array.from({ length: count(shape) }, (_, i) => {
    const place = from(placeOf(i, shape));
    return place === null ? null : indexOf(place, x.shape);
  });
  const y = new Value(shape, Float64Array.from(sources, (at) => at === null ? 0 : x.data[at]!));
  tape.record(() => {
    sources.forEach((at, i) => {
      if (at !== null) x.grad[at]! += y.grad[i]!;
    });
  });
  return y;
}

function placeOf(index: number, shape: readonly number[]): number[] {
  let rest = index;
  return shape.toReversed().map((size) => {
    const at = rest % size;
    rest = Math.floor(rest / size);
    return at;
  }).reverse();
}

function indexOf(place: readonly number[], shape: readonly number[]): number {
  return place.reduce((index, at, d) => index * shape[d]! + at, 0);
}

/** Returns x with dimension `axes[i]` in place i. */
export function transpose(tape: Tape, x: Value, axes: readonly number[]): Value {
  return moved(tape, x, axes.map((axis) => x.shape[axis]!), (place) => x.shape.map((_, d) => place[axes.indexOf(d)]!));
}

/** Returns `size` elements of a dimension from `start`. */
export function part(tape: Tape, x: Value, axis: number, start: number, size: number): Value {
  return moved(tape, x, x.shape.with(axis, size), (place) => place.with(axis, place[axis]! + start));
}

/** Surrounds images `[n, c, h, w]` with zeros: rows above and below, columns left and right. */
export function pad(
  tape: Tape,
  x: Value,
  rows: readonly [number, number],
  columns: readonly [number, number],
): Value {
  const [n, c, h, w] = x.shape as [number, number, number, number];
  return moved(tape, x, [n, c, h + rows[0] + rows[1], w + columns[0] + columns[1]], ([s, k, row, column]) => {
    const [r, q] = [row! - rows[0], column! - columns[0]];
    return r >= 0 && r < h && q >= 0 && q < w ? [s!, k!, r, q] : null;
  });
}

/** Repeats the only element of the first dimension. */
export function repeat(tape: Tape, x: Value, times: number): Value {
  return moved(tape, x, x.shape.with(0, times), (place) => place.with(0, 0));
}

/** Joins tensors along a dimension. */
export function concat(tape: Tape, parts: readonly Value[], axis: number): Value {
  const shape = parts[0]!.shape.with(axis, parts.reduce((sum, { shape }) => sum + shape[axis]!, 0));
  const y = Value.zeros(shape);
  let start = 0;
  for (const x of parts) {
    const first = start;
    start += x.shape[axis]!;
    const targets = Array.from(x.data, (_, i) => {
      const place = placeOf(i, x.shape);
      return indexOf(place.with(axis, place[axis]! + first), shape);
    });
    targets.forEach((at, i) => y.data[at] = x.data[i]!);
    tape.record(() => targets.forEach((at, i) => x.grad[i]! += y.grad[at]!));
  }
  return y;
}
