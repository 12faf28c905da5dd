/**
 * Change points in a series, by E-Divisive: hierarchical division at the largest energy distance, each tested by random
 * permutations (D. S. Matteson and N. A. James, A Nonparametric Approach for Multiple Change Point Analysis of Multivariate
 * Data, Journal of the American Statistical Association 109, 2014). D. Daly et al. use it for performance tests (The Use of
 * Change Point Detection to Identify Software Performance Regressions in a Continuous Integration System, ICPE 2020).
 *
 * @module
 */
import { RandomStream } from "../core/random.ts";
import { median } from "../core/statistics.ts";

/** Smallest number of values on each side of a change. */
const MIN_VALUES = 3;

/** Random permutations of a test. The smallest p is 1 / (permutations + 1). */
const PERMUTATIONS = 999;

/** Level of each test. */
const LEVEL = 0.01;

/** A change between two values of a series. */
export interface ChangePoint {
  /** Index of the first value after the change. */
  readonly index: number;
  /** p of the permutation test; null for values that are exact. */
  readonly p: number | null;
  /** Medians of the values between this change and the neighbouring ones. */
  readonly before: number;
  readonly after: number;
}

/**
 * Returns the change points of a series, in order. The same values give the same changes.
 *
 * Each permutation takes time in proportion to the square of the number of values. Fewer than about ten values show no
 * change, because no permutation test can reach the level with them.
 */
export function changePoints(values: readonly number[]): ChangePoint[] {
  const found = new Map<number, number>();
  const random = new RandomStream(values.length);
  const pending: [start: number, end: number][] = [[0, values.length]];
  while (pending.length > 0) {
    const [start, end] = pending.pop()!;
    const segment = values.slice(start, end);
    const split = bestSplit(segment);
    if (split === null || split.statistic <= 0) continue;
    const p = permutationP(segment, split.statistic, random);
    if (p > LEVEL) continue;
    const index = start + split.index;
    found.set(index, p);
    pending.push([start, index], [index, end]);
  }
  const indices = [...found.keys()].sort((a, b) => a - b);
  const ends = [0, ...indices, values.length];
  return indices.map((index, i) => ({
    index,
    p: found.get(index)!,
    before: median(values.slice(ends[i]!, index)),
    after: median(values.slice(index, ends[i + 2]!)),
  }));
}

/** Returns each change of an exact value, such as a count, which varies only if something changed. */
export function exactChanges<T>(values: readonly T[]): { index: number; p: null; before: T; after: T }[] {
  return values.flatMap((after, index) => {
    const before = values[index - 1];
    return index === 0 || before === after ? [] : [{ index, p: null, before: before!, after }];
  });
}

/** Returns the division of a segment with the largest scaled energy distance; null if the segment is too short. */
function bestSplit(values: readonly number[]): { index: number; statistic: number } | null {
  const n = values.length;
  if (n < 2 * MIN_VALUES) return null;
  const distance = (i: number, j: number) => Math.abs(values[i]! - values[j]!);
  // Sums of distances within [0, k), between both parts, and within [k, n), updated from one k to the next
  let [left, between, right] = [0, 0, 0];
  for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) right += distance(i, j);
  let best: { index: number; statistic: number } | null = null;
  for (let k = 1; k <= n - MIN_VALUES; k++) {
    const moved = k - 1;
    let [toLeft, toRight] = [0, 0];
    for (let i = 0; i < moved; i++) toLeft += distance(moved, i);
    for (let i = k; i < n; i++) toRight += distance(moved, i);
    left += toLeft;
    right -= toRight;
    between += toRight - toLeft;
    if (k < MIN_VALUES) continue;
    const m = n - k;
    const energy = 2 * between / (k * m) - left / (k * (k - 1) / 2) - right / (m * (m - 1) / 2);
    const statistic = k * m / n * energy;
    if (best === null || statistic > best.statistic) best = { index: k, statistic };
  }
  return best;
}

function permutationP(values: readonly number[], statistic: number, random: RandomStream): number {
  let larger = 0;
  for (let round = 0; round < PERMUTATIONS; round++) {
    const shuffled = [...random.permutation(values.length)].map((i) => values[i]!);
    if (bestSplit(shuffled)!.statistic >= statistic) larger++;
    // Cannot become significant any more
    if ((larger + 1) / (PERMUTATIONS + 1) > LEVEL) break;
  }
  return (larger + 1) / (PERMUTATIONS + 1);
}
