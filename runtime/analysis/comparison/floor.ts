import type { Metric } from "../../result/schema.ts";
import type { LogEstimate } from "./estimate.ts";

/**
 * Returns the indifference band: a speed-up between 1 / (1 + band) and 1 + band counts as the same speed. The baseline and
 * its control arm differ by the noise of their blocks, which every interval already includes, and by a constant difference
 * between arms. The band is the latter: the part of the squared difference that the squared standard error does not explain.
 * bench/RESULTS.md compares it with the whole difference and with no band.
 *
 * @param controlArm estimate of the control arm against the baseline; null if it did not run
 */
export function bandOf(controlArm: LogEstimate | null, minEffect: number): number {
  if (controlArm === null) return minEffect;
  const { mean, standardError } = controlArm;
  return Math.max(minEffect, Math.expm1(Math.sqrt(Math.max(0, mean ** 2 - (standardError ?? 0) ** 2))));
}

/** Returns the noise floor: speed-up - 1 of the faster of baseline and control arm, with its interval. */
export function noiseFloor({ mean, interval }: LogEstimate): Metric {
  const metric = { value: Math.expm1(Math.abs(mean)), unit: "ratio", amortised: false } as const;
  if (interval === null) return { ...metric, low: null, high: null };
  const [near, far] = [Math.abs(interval.low), Math.abs(interval.high)].sort((a, b) => a - b) as [number, number];
  return { ...metric, low: interval.low * interval.high <= 0 ? 0 : Math.expm1(near), high: Math.expm1(far) };
}
