/**
 * Differences of two items' logs of times. Other load on the machine slows all items of a round, so what all items have in
 * common in a round is subtracted before location and spread over the rounds are taken.
 *
 * @module
 */
import { median } from "../../core/statistics.ts";
import { quantile } from "../../core/statistics.ts";
import { correlationFactor } from "./correlation_factor.ts";
import { hodgesLehmann } from "./hodges_lehmann.ts";
import { LEAST_SAMPLES, medianVariance } from "./median_variance.ts";
import type { DiffItem } from "./side.ts";

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
    if (values.length < LEAST_SAMPLES) return null;
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
    return deviations.length < LEAST_SAMPLES ? 0 : median(deviations);
  });
  return items.map((values) => usable(values.map((value, round) => value - common[round]!)));
}
