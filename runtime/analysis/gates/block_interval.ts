/**
 * Intervals from the blocks of a run, or of two runs that were measured at different times.
 *
 * Times and rates are positive and skewed, so the intervals use logarithms if all values are positive: Student's t interval
 * for the mean of logs, and Welch's for the difference of means with unequal variances (B. L. Welch, The generalization of
 * "Student's" problem when several different population variances are involved, Biometrika 34, 1947). Blocks are assumed
 * independent, which is optimistic if the machine drifts.
 *
 * @module
 */
import { tQuantile } from "../student_t.ts";

/** Confidence level. */
export const LEVEL = 0.95;

/** Minimum number of blocks for an interval. */
const MIN_BLOCKS = 2;

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Returns the interval of the mean block; null for a single block. */
export function blockInterval(blocks: readonly number[]): Interval | null {
  if (blocks.length < MIN_BLOCKS) return null;
  if (!blocks.every((value) => value > 0)) return around(moments(blocks));
  const { low, high } = around(moments(blocks.map(Math.log)));
  return { low: Math.exp(low), high: Math.exp(high) };
}

/** Returns the interval of the ratio of mean blocks; null if a side has a single block, or a value that is not positive. */
export function ratioInterval(blocks: readonly number[], reference: readonly number[]): Interval | null {
  if (![...blocks, ...reference].every((value) => value > 0)) return null;
  const logs = differenceInterval(blocks.map(Math.log), reference.map(Math.log));
  return logs === null ? null : { low: Math.exp(logs.low), high: Math.exp(logs.high) };
}

/** Returns the interval of the difference of mean blocks; null if a side has a single block. */
export function differenceInterval(blocks: readonly number[], reference: readonly number[]): Interval | null {
  if (blocks.length < MIN_BLOCKS || reference.length < MIN_BLOCKS) return null;
  const [a, b] = [moments(blocks), moments(reference)];
  const error = a.error + b.error;
  const df = error ** 2 / (a.error ** 2 / a.df + b.error ** 2 / b.df);
  return around({ mean: a.mean - b.mean, error, df });
}

interface Moments {
  readonly mean: number;
  /** Squared standard error of the mean. */
  readonly error: number;
  readonly df: number;
}

function moments(values: readonly number[]): Moments {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const df = values.length - 1;
  const error = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / df / values.length;
  return { mean, error, df };
}

function around({ mean, error, df }: Moments): Interval {
  if (error === 0) return { low: mean, high: mean };
  const half = tQuantile(LEVEL, df) * Math.sqrt(error);
  return { low: mean - half, high: mean + half };
}
