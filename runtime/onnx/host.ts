/**
 * Constants on the host: their elements counted, visited, moved and computed, with NumPy broadcasting.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { formatShape, sameShape, type Shape, sizeOf } from "../core/shape.ts";
import { spend } from "./budget.ts";
import type { ElementKind } from "./format/element_types.ts";
import { Constant } from "./value.ts";
import { broadcastShape } from "../../ops/sum.ts";

/**
 * Counts elements of constants that are read or made when a model is built, and returns their number.
 *
 * @throws {InputError} if the model's constants have too many
 */
export function limited(elements: number): number {
  spend("elements", Number.isSafeInteger(elements) && elements >= 0 ? elements : Infinity);
  return elements;
}

/** Like {@linkcode limited}, for the elements of a shape that a file gives or nodes compute. */
export function limitedSize(shape: Shape): number {
  if (shape.every((n) => n >= 0)) return limited(sizeOf(shape));
  throw new InputError(`needs a constant of the shape ${formatShape(shape)}; expected sizes of at least 0`);
}

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

/** Applies a function to the elements of constants, broadcast to one shape. */
export function mapElements(
  type: string,
  constants: readonly Constant[],
  kind: ElementKind,
  compute: (...values: number[]) => number,
): Constant {
  const shape = broadcastShape(type, constants.map((constant) => constant.shape));
  const size = limitedSize(shape);
  const read = () => {
    const values = valuesFor(kind, size);
    const sources = constants.map((constant) => constant.values);
    const operands = new Array<number>(sources.length);
    walk(shape, constants.map((constant) => broadcastStrides(constant.shape, shape)), (i, _, places) => {
      for (let k = 0; k < operands.length; k++) operands[k] = sources[k]![places[k]!]!;
      values[i] = compute(...operands);
    });
    return values;
  };
  // Quantised weights; other constants are not, so that a long chain of them needs no deep stack
  const isWeight = constants.some(({ initializer, size }) => initializer !== null && size >= LARGE);
  return isWeight ? Constant.later(kind, shape, read) : Constant.of(kind, shape, read());
}

/** Elements of an initializer from which on it counts as a weight, which is read when the model is initialised. */
const LARGE = 1 << 12;

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
