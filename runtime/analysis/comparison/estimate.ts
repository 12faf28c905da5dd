import type { Estimate } from "../../result/schema.ts";
import { type Flipped, MAX_GROUPS, signFlipInterval } from "./sign_flip.ts";
import { studentMean } from "./student.ts";
import { smallestP, winsorisedInterval, winsorisedMean, winsorisedP } from "./winsorised.ts";

/** Level of every interval. */
export const LEVEL = 0.95;

/**
 * Level at which intervals are computed where their width decides when to stop: rounds end while an interval happens to be
 * narrow, so that it covers less than it says. At this level it covers {@linkcode LEVEL},
 * by `deno task bench:simulate --only stopping`.
 */
export const LEVEL_OF_LOOKS = 0.96;

/** Location of the logs of speed-ups over rounds. */
export interface LogEstimate {
  readonly rounds: number;
  /** Set-ups that the rounds ran with; 1 where nothing was set up again. */
  readonly setups: number;
  /** Unit of the test, whose number decides how wide the interval is. */
  readonly unit: "round" | "set-up" | "node";
  readonly value: number;
  /** Confidence interval; null for a single round. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** Level that the interval reaches with this number of rounds; null without an interval. */
  readonly reached: number | null;
  /** Method of the interval. */
  readonly method: string;
  /** Two-sided p of no difference. */
  readonly p: number;
  /** Smallest p that the test can give; null where it is model-based and has no such limit. */
  readonly smallestP: number | null;
}

/** A geometric mean with its interval, beside an estimate of another kind. */
export interface Companion {
  readonly ratio: Estimate;
  readonly method: string;
}

/**
 * Estimates the location of `logs`, with its interval and its p; null for no logs. Up to five rounds cannot reject at 5 %,
 * so that the test has no interval: the mean with Student's interval, which takes the noise for normal, stands in.
 *
 * @param level of the interval
 */
export function estimateLogs(logs: readonly number[], level = LEVEL): LogEstimate | null {
  if (logs.length === 0) return null;
  const tested = { p: winsorisedP(logs), smallestP: smallestP(logs.length) };
  const common = { rounds: logs.length, setups: 1, unit: "round", ...tested } as const;
  const interval = winsorisedInterval(logs, level) ?? winsorisedInterval(logs, LEVEL);
  if (interval !== null) {
    const { level: reached, ...ends } = interval;
    return {
      ...common,
      value: winsorisedMean(logs),
      interval: ends,
      reached,
      method: "inverted winsorised sign-flip test",
    };
  }
  if (logs.length === 1) {
    return { ...common, value: logs[0]!, interval: null, reached: null, method: "none: a single round" };
  }
  const { value, interval: ends } = studentMean(logs, LEVEL);
  return { ...common, value, interval: ends, reached: LEVEL, method: "Student's t" };
}

/** Returns the geometric mean over rounds, in which a burst has its full weight; null where the test has no interval. */
export function geometricMean(differences: readonly Flipped[]): Companion | null {
  const interval = signFlipInterval(differences, LEVEL);
  if (interval === null) return null;
  const logs = differences.flat();
  const value = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const joined = differences.length > MAX_GROUPS ? ` of ${MAX_GROUPS} groups of rounds` : "";
  return { ratio: ratioOf({ value, interval }), method: `geometric mean, inverted sign-flip test${joined}` };
}

/** Returns the estimate as a ratio. */
export function ratioOf({ value, interval }: Pick<LogEstimate, "value" | "interval">): Estimate {
  return {
    value: Math.exp(value),
    low: interval === null ? null : Math.exp(interval.low),
    high: interval === null ? null : Math.exp(interval.high),
  };
}

/** Standard errors from the middle to an end of a 95 % interval. */
const ERRORS_TO_END = 1.96;

/**
 * Returns the noise floor as a part of 1: the difference between two runs of the baseline beyond the noise of their
 * blocks, which the interval of every variant contains already. Of the square of the difference it is what the squared
 * standard error leaves. `deno task bench:simulate --only floors` has its false verdicts and its power beside those of other
 * rules.
 *
 * @param controlArm the baseline against itself
 */
export function noiseFloor({ value, interval }: LogEstimate): number {
  const error = interval === null ? 0 : (interval.high - interval.low) / 2 / ERRORS_TO_END;
  return Math.expm1(Math.sqrt(Math.max(0, value ** 2 - error ** 2)));
}
