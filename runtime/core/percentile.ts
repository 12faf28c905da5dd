import { quantile } from "./statistics.ts";

/** Statistics of a block's steps that arms can be compared by. */
export const STATISTICS = ["mean", "p50", "p90", "p95", "p99"] as const;

export type Statistic = typeof STATISTICS[number];

/** Percentiles of reports. */
export const PERCENTS = [50, 90, 95, 99] as const;

/** A percentile with its 95 % interval, in the unit of the values. */
export interface Percentile {
  readonly percent: number;
  readonly value: number;
  /** Ends of the interval; null where there are too few values for one. */
  readonly low: number | null;
  readonly high: number | null;
}

/** Probability beyond each end of an interval. */
const TAIL = 0.025;

/** Returns the part of the steps below a percentile; null for the mean. */
export function partOf(statistic: Statistic): number | null {
  return statistic === "mean" ? null : Number(statistic.slice(1)) / 100;
}

/** Returns the smallest number of steps that have a percentile of their own: 100 for p99, 20 for p95, 10 for p90, 2 for p50. */
export function fewestSteps(statistic: Statistic): number {
  const part = partOf(statistic);
  return part === null ? 1 : Math.round(1 / (1 - part));
}

/**
 * Returns percentiles with intervals between two of the values, by the binomial distribution of how many lie below: whatever
 * the distribution of independent values (W. J. Conover, "Practical Nonparametric Statistics", 3.2). Empty without values.
 */
export function percentilesOf(values: readonly number[]): Percentile[] {
  const sorted = values.toSorted((a, b) => a - b);
  if (sorted.length === 0) return [];
  return PERCENTS.map((percent) => {
    const part = percent / 100;
    const { low, high } = ranks(sorted.length, part);
    return {
      percent,
      value: quantile(sorted, part),
      low: low === null ? null : sorted[low]!,
      high: high === null ? null : sorted[high]!,
    };
  });
}

/** Returns the places of the ends of the interval among `n` values in order, from 0. */
function ranks(n: number, part: number): { low: number | null; high: number | null } {
  let low: number | null = null;
  let high: number | null = null;
  let below = 0;
  let log = n * Math.log(1 - part);
  for (let count = 0; count < n && high === null; count++) {
    below += Math.exp(log);
    log += Math.log((n - count) / (count + 1)) + Math.log(part / (1 - part));
    // `below`: the probability that at most `count` values lie below the percentile
    if (below <= TAIL) low = count;
    else if (below >= 1 - TAIL) high = count;
  }
  return { low, high };
}
