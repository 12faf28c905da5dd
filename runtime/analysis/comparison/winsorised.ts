/**
 * The sign-flip test on winsorised differences, its interval and its estimate. Where the order within a round is random
 * and the two arms are equal, every difference is as likely as its negative, whatever the noise (Fisher, The Design of
 * Experiments, 1935). That holds for any scores that depend on the sizes of the differences: here the sizes up to their
 * median, and the median for all larger ones (Huber, "Robust estimation of a location parameter", Annals of Mathematical
 * Statistics 35, 1964), so that a burst of other load weighs no more than a typical block. The test is exact; the
 * interval holds the shifts that it does not reject. `deno task bench:simulate` has its coverage and power beside those of
 * other statistics.
 *
 * @module
 */

/** Significance level for the corrected p. */
export const SIGNIFICANCE = 0.05;

/** Scores are whole numbers up to this one, so that the distribution of their sum can be counted exactly. */
const LARGEST_SCORE = 16;

/** Part of the differences' size below which a distance counts as none. */
const ROUNDING = 1e-12;

/** Halvings of the range in which an end of the interval is sought: to some 1e-7 of it. */
const HALVINGS = 24;

/** Halvings of the range in which the estimate is sought. */
const ESTIMATE_HALVINGS = 50;

/** Shifts that the test does not reject. */
export interface ShiftInterval {
  readonly low: number;
  readonly high: number;
  /** Level that the interval reaches: at least the one asked for, and higher with few rounds. */
  readonly level: number;
}

/** Returns the two-sided p of a shift of 0; 1 for no differences. */
export function winsorisedP(differences: readonly number[]): number {
  return shiftP(differences, 0);
}

/** Returns the smallest p that a number of rounds can reach. */
export function smallestP(rounds: number): number {
  return Math.min(1, 2 ** (1 - rounds));
}

/** Returns the number of rounds, or set-ups, from which `tests` variants can all reach significance. */
export function roundsToReject(tests: number): number {
  let rounds = 1;
  while (smallestP(rounds) * tests >= SIGNIFICANCE) rounds++;
  return rounds;
}

/** Returns the shift whose winsorised distances to the differences add up to 0: between the mean and the median. */
export function winsorisedMean(differences: readonly number[]): number {
  let [below, above] = [Math.min(...differences), Math.max(...differences)];
  for (let i = 0; i < ESTIMATE_HALVINGS; i++) {
    const middle = (below + above) / 2;
    const { distances, bound } = winsorise(differences, middle);
    const sum = distances.reduce((sum, distance) => sum + Math.max(-bound, Math.min(bound, distance)), 0);
    if (sum === 0) return middle;
    if (sum > 0) below = middle;
    else above = middle;
  }
  return (below + above) / 2;
}

/** Returns the interval of shifts that the test does not reject; null where there are too few differences for the level. */
export function winsorisedInterval(differences: readonly number[], level: number): ShiftInterval | null {
  if (smallestP(differences.length) > 1 - level) return null;
  const [least, most] = [Math.min(...differences), Math.max(...differences)];
  const range = most - least;
  if (range <= ROUNDING * Math.max(-least, most)) {
    return { low: least, high: most, level: 1 - smallestP(differences.length) };
  }
  const estimate = winsorisedMean(differences);
  const low = endOf(differences, estimate, least - range, 1 - level);
  const high = endOf(differences, estimate, most + range, 1 - level);
  return { low: low.shift, high: high.shift, level: 1 - (low.p + high.p) / 2 };
}

/** Returns the last shift from `kept` towards `rejected` that is not rejected, and the p beyond it. */
function endOf(
  differences: readonly number[],
  kept: number,
  rejected: number,
  most: number,
): { shift: number; p: number } {
  let p = shiftP(differences, rejected);
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (kept + rejected) / 2;
    const here = shiftP(differences, middle);
    if (here > most) kept = middle;
    else [rejected, p] = [middle, here];
  }
  return { shift: kept, p };
}

function shiftP(differences: readonly number[], shift: number): number {
  const { distances, bound, rounding } = winsorise(differences, shift);
  let [sum, total] = [0, 0];
  const sizes = distances.map((distance) => {
    const size = Math.abs(distance);
    const score = size <= rounding ? 0 : size >= bound ? LARGEST_SCORE : Math.ceil(LARGEST_SCORE * size / bound);
    sum += distance < 0 ? -score : score;
    total += score;
    return score;
  });
  // A flipped subset takes twice its sum away from the largest sum, in which all have one sign
  return Math.min(1, 2 * probabilityUpTo(sizes, (total - Math.abs(sum)) / 2));
}

/** Returns the probability that a random subset of `sizes` adds up to `limit` at most. */
function probabilityUpTo(sizes: readonly number[], limit: number): number {
  const bySum = new Float64Array(limit + 1);
  bySum[0] = 1;
  for (const size of sizes) {
    if (size === 0) continue;
    for (let sum = limit; sum >= size; sum--) bySum[sum] = (bySum[sum]! + bySum[sum - size]!) / 2;
    for (let sum = Math.min(size - 1, limit); sum >= 0; sum--) bySum[sum]! /= 2;
  }
  return bySum.reduce((sum, probability) => sum + probability, 0);
}

/** Returns the distances from a shift, and the size beyond which they all have the same weight. */
function winsorise(
  differences: readonly number[],
  shift: number,
): { distances: number[]; bound: number; rounding: number } {
  const distances = differences.map((difference) => difference - shift);
  const sizes = distances.map(Math.abs).sort((a, b) => a - b);
  const half = sizes.length >> 1;
  const bound = sizes.length % 2 === 1 ? sizes[half]! : (sizes[half - 1]! + sizes[half]!) / 2;
  return { distances, bound, rounding: ROUNDING * Math.max(Math.abs(shift), bound) };
}
