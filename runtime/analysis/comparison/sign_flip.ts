/**
 * The paired sign-flip test and the interval that it inverts to. Where the order within a round is random and the two
 * arms are alike, every difference is as likely as its negative, whatever the noise: the sum of the differences is one of
 * 2^n equally likely ones (Fisher, The Design of Experiments, 1935). The shifts that the test does not reject lie between
 * means of subsets of the differences (Hartigan, "Using subsample values as typical values", JASA 64, 1969), so that the
 * interval's coverage holds for every symmetric noise.
 *
 * @module
 */
import { countAtMost, sortedSubsetSums } from "./subset_sums.ts";

/** More rounds are put together in so many groups of neighbours, whose signs flip as one; the test stays exact. */
export const MAX_GROUPS = 20;

/** Part of the differences' size below which sums count as equal. */
const ROUNDING = 1e-12;

/** Halvings of the range in which an end of the interval is sought: to some 1e-8 of it. */
const HALVINGS = 26;

interface Group {
  readonly sum: number;
  readonly count: number;
}

/** The two-sided p of the sum of `differences`; 1 for none. */
export function signFlipP(differences: readonly number[]): number {
  const sums = groupsOf(differences).map(({ sum }) => sum);
  const observed = Math.abs(sums.reduce((a, b) => a + b, 0));
  const total = sums.reduce((sum, value) => sum + Math.abs(value), 0);
  // Of sizes alone the largest sum has all of one sign; a flipped subset takes twice its sum away
  const sizes = sums.map(Math.abs);
  const allowance = (total - observed) / 2 + ROUNDING * total;
  return Math.min(1, 2 * countAtMost(...halves(sizes), allowance) / 2 ** sums.length);
}

/** The smallest p that so many rounds can reach. */
export function smallestP(rounds: number): number {
  return Math.min(1, 2 ** (1 - Math.min(rounds, MAX_GROUPS)));
}

/** The interval of shifts that the test does not reject; null where there are too few differences for the level. */
export function signFlipInterval(differences: readonly number[], level: number): { low: number; high: number } | null {
  const groups = groupsOf(differences);
  const rank = Math.floor(2 ** groups.length * (1 - level) / 2 + ROUNDING);
  if (rank < 1) return null;
  const mirrored = groups.map(({ sum, count }) => ({ sum: -sum, count }));
  return { low: rankedMean(groups, rank), high: -rankedMean(mirrored, rank) };
}

/** The `rank`th smallest of the means of all subsets of the groups, the empty one left out. */
function rankedMean(groups: readonly Group[], rank: number): number {
  const means = groups.map(({ sum, count }) => sum / count);
  let [below, above] = [Math.min(...means), Math.max(...means)];
  const rounding = ROUNDING * Math.max(Math.abs(below), Math.abs(above));
  const meansUpTo = (value: number) =>
    countAtMost(...halves(groups.map(({ sum, count }) => sum - count * value)), rounding) - 1;
  if (meansUpTo(below) >= rank) return below;
  for (let i = 0; i < HALVINGS && above - below > rounding; i++) {
    const middle = (below + above) / 2;
    if (meansUpTo(middle) >= rank) above = middle;
    else below = middle;
  }
  return above;
}

function groupsOf(differences: readonly number[]): Group[] {
  const groups: { sum: number; count: number }[] = [];
  const size = Math.max(1, differences.length / MAX_GROUPS);
  for (const [i, difference] of differences.entries()) {
    const group = groups[Math.floor(i / size)] ??= { sum: 0, count: 0 };
    group.sum += difference;
    group.count++;
  }
  return groups;
}

function halves(values: readonly number[]): [Float64Array, Float64Array] {
  const half = values.length >> 1;
  return [sortedSubsetSums(values.slice(0, half)), sortedSubsetSums(values.slice(half))];
}
