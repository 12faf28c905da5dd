/**
 * Random nodes and the arithmetic of their references: tensors as lists of f64, read by index with NumPy broadcasting.
 *
 * @module
 */
import type { RandomStream } from "../../../runtime/core/random.ts";
import type { NodeCase, NodeTensor } from "../../support/onnx_node.ts";

/** A node with what it should compute. Its operator is that of the key; by default its elements are exact. */
export type DrawCase = (draw: Draw) => Omit<NodeCase, "type" | "domain">;

/** Numbers at which careless code breaks. */
export const EXTREMES: readonly number[] = [
  ...[0, -0, 1e-30, -1e-30, 1e4, -1e4, -1001, 1e9, -1e9, 3.1e38, -3.1e38, -3.4028234663852886e38, Infinity, -Infinity],
];
/** Integers that f32 does not hold. */
export const LARGE: readonly number[] = [2 ** 24 + 1, -(2 ** 24) - 3, 2 ** 30 + 1, -(2 ** 30) - 1];

export interface FloatOptions {
  /** Range of ordinary numbers. Default: -3 to 3. */
  readonly low?: number;
  readonly high?: number;
  /** Numbers, some of which are drawn in a third of the tensors. Default: none. */
  readonly extremes?: readonly number[];
}

/** Draws from a seed. */
export class Draw {
  readonly random: RandomStream;

  constructor(random: RandomStream) {
    this.random = random;
  }

  /** Draws a whole number from `low` to `high`. */
  whole(low: number, high: number): number {
    return low + this.random.below(high - low + 1);
  }

  chance(probability = 0.5): boolean {
    return this.random.uniform() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.random.below(items.length)]!;
  }

  uniform(low: number, high: number): number {
    return Math.fround(low + (high - low) * this.random.uniform());
  }

  shape(lowest = 0, highest = 4, most = 5): number[] {
    return Array.from({ length: this.whole(lowest, highest) }, () => this.whole(1, most));
  }

  /** Draws shapes that broadcast to the one that is returned first. */
  broadcast(count: number): [whole: number[], ...parts: number[][]] {
    const whole = this.shape();
    const parts = Array.from({ length: count }, () => {
      const kept = whole.slice(this.chance(0.3) ? this.whole(0, whole.length) : 0);
      return kept.map((n) => this.chance(0.2) ? 1 : n);
    });
    return [broadcastOf(parts), ...parts];
  }

  floats(shape: readonly number[], { low = -3, high = 3, extremes = [] }: FloatOptions = {}): NodeTensor {
    const isExtreme = extremes.length > 0 && this.chance(0.35);
    const values = Array.from(
      { length: sizeOf(shape) },
      () => isExtreme && this.chance(0.4) ? Math.fround(this.pick(extremes)) : this.uniform(low, high),
    );
    return { shape, values };
  }

  integers(shape: readonly number[], low: number, high: number, large: readonly number[] = []): NodeTensor {
    const isLarge = large.length > 0 && this.chance(0.4);
    const values = Array.from(
      { length: sizeOf(shape) },
      () => isLarge && this.chance(0.5) ? this.pick(large) : this.whole(low, high),
    );
    return { shape, values, type: "int64" };
  }

  booleans(shape: readonly number[]): NodeTensor {
    return { ...this.integers(shape, 0, 1), type: "bool" };
  }

  /** Draws an axis, and how the file writes it. */
  axis(rank: number): { at: number; given: number } {
    const at = this.whole(0, rank - 1);
    return { at, given: this.chance() ? at : at - rank };
  }

  /** Draws axes, at least one. */
  axes(rank: number): { at: number[]; given: number[] } {
    const at = Array.from({ length: rank }, (_, d) => d).filter(() => this.chance());
    if (at.length === 0) at.push(this.whole(0, rank - 1));
    return { at, given: at.map((axis) => this.chance() ? axis : axis - rank) };
  }

  /** Draws an order of dimensions. */
  order(rank: number): number[] {
    const left = Array.from({ length: rank }, (_, d) => d);
    return Array.from({ length: rank }, () => left.splice(this.random.below(left.length), 1)[0]!);
  }
}

export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((size, n) => size * n, 1);
}

export function range(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i);
}

/** Iterates over the indices of a shape in row-major order. */
export function indicesOf(shape: readonly number[]): number[][] {
  return shape.reduce<number[][]>((all, n) => all.flatMap((index) => range(n).map((i) => [...index, i])), [[]]);
}

export function broadcastOf(shapes: readonly (readonly number[])[]): number[] {
  const rank = Math.max(0, ...shapes.map((shape) => shape.length));
  return range(rank).map((d) => Math.max(...shapes.map((shape) => shape[d - rank + shape.length] ?? 1)));
}

/** A float tensor of a function of the index. */
export function build(
  shape: readonly number[],
  at: (index: number[]) => number,
  type?: NodeTensor["type"],
): NodeTensor {
  return { shape, values: indicesOf(shape).map(at), ...type === undefined ? {} : { type } };
}

/** Reads an element; dimensions of size 1 are broadcast, and the index may have more of them in front. */
export function read({ shape, values }: NodeTensor, index: readonly number[]): number {
  const skipped = index.length - shape.length;
  return values[shape.reduce((place, n, d) => place * n + (n === 1 ? 0 : index[d + skipped]!), 0)]!;
}

/** A constant input. */
export function constant(tensor: NodeTensor): NodeTensor {
  return { ...tensor, constant: true };
}

export function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}

/** Products of matrices with broadcast batches. */
export function matmul(a: NodeTensor, b: NodeTensor): NodeTensor {
  const batch = broadcastOf([a.shape.slice(0, -2), b.shape.slice(0, -2)]);
  const inner = range(a.shape.at(-1)!);
  return build([...batch, a.shape.at(-2)!, b.shape.at(-1)!], (index) => {
    const [outer, i, j] = [index.slice(0, -2), index.at(-2)!, index.at(-1)!];
    return sum(inner.map((k) => read(a, [...outer, i, k]) * read(b, [...outer, k, j])));
  });
}

export function transposed(x: NodeTensor, order: readonly number[]): NodeTensor {
  return build(order.map((d) => x.shape[d]!), (index) => {
    const from: number[] = [];
    order.forEach((d, i) => from[d] = index[i]!);
    return read(x, from);
  }, x.type);
}

/** Softmax over the last dimension. */
export function softmax(x: NodeTensor): NodeTensor {
  const n = x.shape.at(-1)!;
  const values = range(x.values.length / n).flatMap((row) => {
    const own = x.values.slice(row * n, (row + 1) * n);
    const largest = Math.max(...own);
    const powers = own.map((value) => Math.exp(value - largest));
    return powers.map((power) => power / sum(powers));
  });
  return { shape: x.shape, values };
}

/** A constant of integers, a list by default. */
export function integer(values: readonly number[], shape: readonly number[] = [values.length]): NodeTensor {
  return { shape, values, type: "int64", constant: true };
}

/** Draws a tensor of floats, integers or truth values. */
export function any(draw: Draw, shape: readonly number[]): NodeTensor {
  return draw.pick([
    () => draw.floats(shape, { extremes: EXTREMES }),
    () => draw.integers(shape, -9, 9, LARGE),
    () => draw.booleans(shape),
  ])();
}
