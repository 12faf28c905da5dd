/**
 * Differences of two items' logs of times. Other load on the machine slows all items of a round, so what all items have in
 * common in a round is subtracted before location and spread over the rounds are taken.
 *
 * @module
 */
import { median, quantile } from "../../core/statistics.ts";
import { NORMAL_FREEDOM, tQuantile } from "../student_t.ts";
import type { DiffItem } from "./side.ts";

/** Level of the interval whose width gives the error. */
const LEVEL = 0.95;

/** Largest correlation of successive values that is taken at its word; a few values cannot show a larger one. */
const MAX_CORRELATION = 0.8;

/** An item on both sides. */
export interface Both {
  readonly a: DiffItem;
  readonly b: DiffItem;
}

/** Difference of the logs of two times, with its standard error. */
export interface LogDifference {
  /** Log of the ratio. */
  readonly log: number;
  readonly error: number;
  /** Number of rounds, of the side with fewer of them. */
  readonly rounds: number;
}

/**
 * Standard deviation of an op's time between processes, relative to that between its steps: a process may favour one of the
 * speeds between which the steps of another change. From pairs of runs of equal variants.
 */
const BETWEEN_PROCESSES = 0.3;

/** Distance of the 5th and 95th percentiles of a normal distribution with standard deviation 1. */
const NORMAL_RANGE = 3.29;

/** Log of a time in each round; NaN where it is unusable. */
type Logs = readonly number[];

/**
 * Returns the differences of items whose sides took turns, one step each per round and in random order; null with fewer than
 * 3 rounds. The two times of a round see the same machine, however its speed changes over the rounds, and without a change
 * their difference has either sign with equal probability. Estimate and error are those of the signed-rank test.
 */
export function pairedDifferences(pairs: readonly Both[]): (LogDifference | null)[] {
  const differences = withoutCommon(pairs.map(({ a, b }) => {
    const [left, right] = [logsOf(a), logsOf(b)];
    return Array.from({ length: Math.min(left.length, right.length) }, (_, round) => right[round]! - left[round]!);
  }));
  return differences.map((values) => {
    if (values.length < MIN_SAMPLES) return null;
    const { value, error } = hodgesLehmann(values);
    return { log: value, error: error * correlationFactor(values), rounds: values.length };
  });
}

/**
 * Returns the differences of items whose sides were measured in two processes; null with fewer than 3 rounds. The error has
 * a component for what differs between processes, which more rounds do not reduce (T. Kalibera and R. Jones, "Rigorous
 * benchmarking in reasonable time", ISMM 2013).
 */
export function separateDifferences(pairs: readonly Both[]): (LogDifference | null)[] {
  const [left, right] = [
    withoutCommon(pairs.map(({ a }) => logsOf(a))),
    withoutCommon(pairs.map(({ b }) => logsOf(b))),
  ];
  return pairs.map((_, i) => {
    const [a, b] = [left[i]!, right[i]!];
    const variances = [a, b].flatMap((values) => {
      const variance = medianVariance(values);
      if (variance === null) return [];
      return [variance * correlationFactor(values) ** 2 + (BETWEEN_PROCESSES * deviationOf(values)) ** 2];
    });
    if (variances.length < 2) return null;
    return {
      log: median(b) - median(a),
      error: Math.sqrt(variances[0]! + variances[1]!),
      rounds: Math.min(a.length, b.length),
    };
  });
}

/** Returns the standard deviation of values from their range without the lowest and highest 5 %, which has rarer speeds too. */
function deviationOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (quantile(sorted, 0.95) - quantile(sorted, 0.05)) / NORMAL_RANGE;
}

function logsOf({ samples }: DiffItem): Logs {
  return samples.map((ms) => ms !== null && ms > 0 ? Math.log(ms) : NaN);
}

/** Returns the usable values of each item, minus the median deviation of all items in the same round. */
function withoutCommon(items: readonly Logs[]): number[][] {
  const usable = (values: Logs) => values.filter((value) => !Number.isNaN(value));
  const centers = items.map((values) => usable(values).length === 0 ? NaN : median(usable(values)));
  const rounds = Math.max(0, ...items.map(({ length }) => length));
  const common = Array.from({ length: rounds }, (_, round) => {
    const deviations = usable(items.map((values, i) => (values[round] ?? NaN) - centers[i]!));
    return deviations.length < MIN_SAMPLES ? 0 : median(deviations);
  });
  return items.map((values) => usable(values.map((value, round) => value - common[round]!)));
}

/**
 * Returns the factor by which the standard error of a median grows because successive values are correlated, at least 1. The
 * variance of a sample quantile of dependent values depends on the correlations of the signs around it (P. K. Sen, "Asymptotic
 * normality of sample quantiles for m-dependent processes", Ann. Math. Stat. 39, 1968), here those of a Markov chain.
 */
function correlationFactor(values: readonly number[]): number {
  const center = median(values);
  const signs = values.map((value) => Math.sign(value - center));
  const products = signs.slice(1).map((sign, i) => sign * signs[i]!);
  const pairs = products.filter((product) => product !== 0);
  if (pairs.length === 0) return 1;
  const correlation = Math.min(
    MAX_CORRELATION,
    Math.max(0, pairs.reduce((sum, product) => sum + product, 0) / pairs.length),
  );
  return Math.sqrt((1 + correlation) / (1 - correlation));
}

/**
 * Returns the median of the means of all pairs of values, and its standard error from the width of the interval of the
 * signed-rank test (J. L. Hodges and E. L. Lehmann, "Estimates of location based on rank tests", Ann. Math. Stat. 34, 1963;
 * M. Hollander and D. A. Wolfe, "Nonparametric statistical methods", section 3.3). Needs two values or more, whose
 * distribution is symmetric.
 */
function hodgesLehmann(values: readonly number[]): { readonly value: number; readonly error: number } {
  const n = values.length;
  const means = values.flatMap((one, i) => values.slice(i).map((other) => (one + other) / 2)).sort((a, b) => a - b);
  const deviation = Math.sqrt(n * (n + 1) * (2 * n + 1) / 24);
  const rank = Math.floor(means.length / 2 - 0.5 - tQuantile(LEVEL, NORMAL_FREEDOM) * deviation);
  // Few values have no interval of that level: all means, whose level is exact
  const quantile = rank > 0 ? (means.length / 2 - 0.5 - rank) / deviation : tQuantile(1 - 2 ** (1 - n), NORMAL_FREEDOM);
  const distance = means.at(-1 - Math.max(0, rank))! - means[Math.max(0, rank)]!;
  return { value: median(means), error: distance / (2 * quantile) };
}

/** Fewest values whose median has a variance. */
export const MIN_SAMPLES = 3;

/**
 * Returns the variance of the median of values, from the distance of two order statistics around it (R. M. Price and
 * D. G. Bonett, "Estimating the variance of the sample median", J. Stat. Comput. Simul. 68, 2001), so that stalled steps
 * weigh no more than others; null for fewer than 3 values.
 */
export function medianVariance(values: readonly number[]): number | null {
  const n = values.length;
  if (n < MIN_SAMPLES) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const rank = Math.max(1, Math.round((n + 1) / 2 - Math.sqrt(n)));
  // P(fewer than `rank` of n values lie below the median), both sides
  let [term, tails] = [0.5 ** (n - 1), 0];
  for (let i = 0; i < rank; i++) {
    tails += term;
    term *= (n - i) / (i + 1);
  }
  const distance = sorted[n - rank]! - sorted[rank - 1]!;
  return (distance / (2 * tQuantile(1 - tails, NORMAL_FREEDOM))) ** 2;
}
