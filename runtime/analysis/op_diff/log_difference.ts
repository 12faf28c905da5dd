/**
 * Differences of two items' logs of times, round by round, without what all items have in common.
 *
 * @module
 */
import { median } from "../attach/median.ts";
import { LEAST_SAMPLES, medianVariance } from "./median_variance.ts";
import type { DiffItem } from "./side.ts";

/** An item on both sides. */
export interface Both {
  readonly a: DiffItem;
  readonly b: DiffItem;
}

/** Difference of the logs of two times, with its standard error. */
export interface LogDifference {
  /** Log of the ratio of medians. */
  readonly log: number;
  readonly error: number;
  /** Degrees of freedom of the error. */
  readonly df: number;
}

/** Log of a time in each round; NaN where it is unusable. */
type Logs = readonly number[];

/**
 * Returns the difference of each pair; null with fewer than 3 rounds. Other load on the machine slows all items of a round,
 * so what all items of a side have in common in a round is subtracted before the spread of the rounds is taken.
 */
export function logDifferences(pairs: readonly Both[]): (LogDifference | null)[] {
  const logs = (of: "a" | "b") =>
    withoutCommon(
      pairs.map((pair) => pair[of].samples.map((ms) => ms !== null && ms > 0 ? Math.log(ms) : NaN)),
    );
  const [left, right] = [logs("a"), logs("b")];
  return pairs.map(({ a, b }, i) => {
    if (a.median === null || b.median === null || !(a.median > 0 && b.median > 0)) return null;
    const error = errorOf(left[i]!, right[i]!);
    return error === null ? null : { log: Math.log(b.median / a.median), ...error };
  });
}

/**
 * Standard error of the difference of two independent medians, with the fewest degrees of freedom that it can have, since the
 * variance of a median is itself uncertain.
 */
function errorOf(a: readonly number[], b: readonly number[]): Pick<LogDifference, "error" | "df"> | null {
  const [one, other] = [medianVariance(a), medianVariance(b)];
  if (one === null || other === null) return null;
  return { error: Math.sqrt(one + other), df: Math.min(a.length, b.length) - 1 };
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
