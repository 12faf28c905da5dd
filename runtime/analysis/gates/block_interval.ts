/**
 * Intervals from the blocks of one run, and of two runs that were not measured side by side.
 *
 * Times and rates are positive and skewed, so their logarithms are used where all are above 0: Student's t interval of
 * the mean of logs, and Welch's for a difference of means with unequal variances and his degrees of freedom (B. L. Welch,
 * The generalization of "Student's" problem when several different population variances are involved, Biometrika 34,
 * 1947). The blocks of a run count as independent, which drift makes too hopeful.
 *
 * @module
 */
import { tQuantile } from "./student_t.ts";

export const LEVEL = 0.95;

/** Fewer blocks have no interval. */
const LEAST_BLOCKS = 2;

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Interval of the typical block; null for a single one. */
export function blockInterval(blocks: readonly number[]): Interval | null {
  if (blocks.length < LEAST_BLOCKS) return null;
  if (!blocks.every((value) => value > 0)) return around(moments(blocks));
  const { low, high } = around(moments(blocks.map(Math.log)));
  return { low: Math.exp(low), high: Math.exp(high) };
}

/** Interval of the typical block of `blocks` / that of `reference`; null where a side has a single one, or 0. */
export function ratioInterval(blocks: readonly number[], reference: readonly number[]): Interval | null {
  if (![...blocks, ...reference].every((value) => value > 0)) return null;
  const logs = differenceInterval(blocks.map(Math.log), reference.map(Math.log));
  return logs === null ? null : { low: Math.exp(logs.low), high: Math.exp(logs.high) };
}

/** Interval of the mean of `blocks` - that of `reference`; null where a side has a single one. */
export function differenceInterval(blocks: readonly number[], reference: readonly number[]): Interval | null {
  if (blocks.length < LEAST_BLOCKS || reference.length < LEAST_BLOCKS) return null;
  const [a, b] = [moments(blocks), moments(reference)];
  const error = a.error + b.error;
  const df = error ** 2 / (a.error ** 2 / a.df + b.error ** 2 / b.df);
  return around({ mean: a.mean - b.mean, error, df });
}

interface Moments {
  readonly mean: number;
  /** Of the mean, squared. */
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
