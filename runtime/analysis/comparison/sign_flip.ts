/**
 * The paired sign-flip test and its interval. If the order within a round is random and the arms are equal, every difference
 * is as likely as its negative, regardless of the noise, and the sum of the differences is one of 2^n equally likely values
 * (R. A. Fisher, The Design of Experiments, 1935). The shifts that the test does not reject lie between means of subsets of
 * the differences (J. A. Hartigan, "Using subsample values as typical values", JASA 64, 1969), so the interval has its
 * coverage for all symmetric noise.
 *
 * @module
 */

/** Maximum number of groups. More rounds are combined into groups of neighbours that flip together; the test stays exact. */
export const MAX_GROUPS = 20;

/** Relative difference below which sums count as equal. */
const ROUNDING = 1e-12;

/** Bisections to find an end of the interval, to about 1e-8 of the range. */
const HALVINGS = 26;

interface Group {
  readonly sum: number;
  readonly count: number;
}

/** A difference, or the differences of one set-up, which flip together. */
export type Flipped = number | readonly number[];

/** Returns the interval of shifts that the test does not reject; null with too few differences for the level. */
export function signFlipInterval(differences: readonly Flipped[], level: number): { low: number; high: number } | null {
  const groups = groupsOf(differences);
  const rank = Math.floor(2 ** groups.length * (1 - level) / 2 + ROUNDING);
  if (rank < 1) return null;
  const mirrored = groups.map(({ sum, count }) => ({ sum: -sum, count }));
  return { low: rankedMean(groups, rank), high: -rankedMean(mirrored, rank) };
}

/** Returns the `rank`th smallest mean of all non-empty subsets of the groups. */
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

function groupsOf(differences: readonly Flipped[]): Group[] {
  const groups: { sum: number; count: number }[] = [];
  const size = Math.max(1, differences.length / MAX_GROUPS);
  for (const [i, difference] of differences.entries()) {
    const group = groups[Math.floor(i / size)] ??= { sum: 0, count: 0 };
    for (const log of typeof difference === "number" ? [difference] : difference) {
      group.sum += log;
      group.count++;
    }
  }
  return groups;
}

function halves(values: readonly number[]): [Float64Array, Float64Array] {
  const half = values.length >> 1;
  return [sortedSubsetSums(values.slice(0, half)), sortedSubsetSums(values.slice(half))];
}

/** Returns the sums of all subsets of `values` in ascending order, merging in one value at a time. */
function sortedSubsetSums(values: readonly number[]): Float64Array {
  // Two alternating lists; an infinite last entry ends a merge
  let sums = new Float64Array(2 ** values.length + 1);
  let merged = new Float64Array(2 ** values.length + 1);
  let size = 1;
  sums[size] = Infinity;
  for (const value of values) {
    const low = Math.min(0, value);
    const high = Math.max(0, value);
    let [i, j] = [0, 0];
    for (let k = 0; k < size * 2; k++) {
      const a = sums[i]! + low;
      const b = sums[j]! + high;
      // Branch-free, since a branch would be unpredictable
      const first = Number(a <= b);
      merged[k] = Math.min(a, b);
      i += first;
      j += 1 - first;
    }
    size *= 2;
    merged[size] = Infinity;
    [sums, merged] = [merged, sums];
  }
  return sums.subarray(0, size);
}

/**
 * Counts the pairs of a number of `a` and one of `b`, both ascending, whose sum is at most `limit`: with the subset sums of
 * two halves, the subsets of the whole (E. Horowitz and S. Sahni, "Computing partitions with applications to the knapsack
 * problem", JACM 21, 1974).
 */
function countAtMost(a: Float64Array, b: Float64Array, limit: number): number {
  let count = 0;
  let fitting = b.length;
  for (let i = 0; i < a.length; i++) {
    while (fitting > 0 && a[i]! + b[fitting - 1]! > limit) fitting--;
    count += fitting;
  }
  return count;
}
