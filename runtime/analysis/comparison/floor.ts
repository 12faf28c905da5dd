import type { Metric } from "../../result/schema.ts";
import type { LogEstimate } from "./estimate.ts";

/**
 * The band of speed-ups that count as no difference: a speed-up between 1 / (1 + band) and 1 + band. Two runs of the
 * baseline differ by the noise of their blocks, which the interval of every variant has in it already, and by what arms
 * differ by for good. The band is that second part: of the square of the difference, what the squared standard error does
 * not explain. bench/RESULTS.md holds it against the whole difference and against none.
 *
 * @param controlArm the baseline against itself; null where it did not run twice
 */
export function bandOf(controlArm: LogEstimate | null, minEffect: number): number {
  if (controlArm === null) return minEffect;
  const { mean, standardError } = controlArm;
  return Math.max(minEffect, Math.expm1(Math.sqrt(Math.max(0, mean ** 2 - (standardError ?? 0) ** 2))));
}

/** By how much two runs of the baseline differ: speed-up - 1 of the faster of the two, with its interval. */
export function noiseFloor({ mean, interval }: LogEstimate): Metric {
  const metric = { value: Math.expm1(Math.abs(mean)), unit: "ratio", amortised: false } as const;
  if (interval === null) return { ...metric, low: null, high: null };
  const [near, far] = [Math.abs(interval.low), Math.abs(interval.high)].sort((a, b) => a - b) as [number, number];
  return { ...metric, low: interval.low * interval.high <= 0 ? 0 : Math.expm1(near), high: Math.expm1(far) };
}
