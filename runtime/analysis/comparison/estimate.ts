import type { Estimate } from "../../result/schema.ts";
import { MAX_GROUPS, signFlipInterval, signFlipP } from "./sign_flip.ts";

/** Confidence level of all intervals. */
export const LEVEL = 0.95;

/** Student's t at 97.5 % for 1 to 4 degrees of freedom (Student, "The probable error of a mean", 1908). */
const STUDENT_T = [12.7062, 4.3027, 3.1824, 2.7764];

/** Mean of the logs of speed-ups over rounds. */
export interface LogEstimate {
  readonly rounds: number;
  readonly mean: number;
  /** Both null for a single round. */
  readonly standardError: number | null;
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** Method that computed the interval. */
  readonly method: string;
  /** p of the sign-flip test. */
  readonly p: number;
}

/** Estimates the mean of `logs` with its interval and p; null without values. */
export function estimateLogs(logs: readonly number[]): LogEstimate | null {
  if (logs.length === 0) return null;
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  const standardError = logs.length < 2 ? null : Math.sqrt(squares / (logs.length - 1) / logs.length);
  return { rounds: logs.length, mean, standardError, ...intervalOf(logs, mean, standardError), p: signFlipP(logs) };
}

/** Converts an estimate of logs to a ratio. */
export function ratioOf({ mean, interval }: LogEstimate): Estimate {
  return {
    value: Math.exp(mean),
    low: interval === null ? null : Math.exp(interval.low),
    high: interval === null ? null : Math.exp(interval.high),
  };
}

/**
 * Computes the interval. The sign-flip test cannot reject at 5 % with up to five rounds, so these use Student's interval,
 * which assumes normal noise. bench/RESULTS.md has the coverage of both, and of bootstraps.
 */
function intervalOf(
  logs: readonly number[],
  mean: number,
  standardError: number | null,
): Pick<LogEstimate, "interval" | "method"> {
  if (standardError === null) return { interval: null, method: "none: a single round" };
  const interval = signFlipInterval(logs, LEVEL);
  if (interval === null) {
    const half = STUDENT_T[logs.length - 2]! * standardError;
    return { interval: { low: mean - half, high: mean + half }, method: "Student's t" };
  }
  const groups = logs.length > MAX_GROUPS ? ` of ${MAX_GROUPS} groups of rounds` : "";
  return { interval, method: `inverted sign-flip test${groups}` };
}
