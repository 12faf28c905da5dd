import type { LogEstimate } from "./estimate.ts";

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
