import { median } from "../../core/statistics.ts";
import type { LogDifference } from "./log_difference.ts";

/** Change of the machine between two measurements, from work that is equal in both. */
export interface MachineShift {
  /** Log of the ratio that equal work has in common. */
  readonly log: number;
  /** Standard deviation of equal work around it, beyond the noise of its steps; at least the floor. */
  readonly spread: number;
  /** Factor of standard errors with which equal work is as far from it as chance explains; at least 1. */
  readonly inflation: number;
  /** Number of items with equal work. */
  readonly items: number;
}

/** Fewest items with equal work that show how the machine changed. */
const LEAST_ITEMS = 6;

/** Median absolute deviation of a normal distribution with standard deviation 1. */
const NORMAL_MAD = 0.6745;

/**
 * Estimates how the machine changed between two measurements. The same code on the same shapes should take the same time, so
 * its ratios form an empirical null distribution (B. Efron, "Large-scale simultaneous hypothesis testing", JASA 99, 2004).
 * Location and spread are medians, which a few real changes among the items do not move. Null with fewer than 6 items.
 *
 * @param floor smallest spread: that of items which few pairs of measurements shift, so that a median does not see it
 */
export function machineShift(
  equal: readonly Pick<LogDifference, "log" | "error">[],
  floor = 0,
): MachineShift | null {
  if (equal.length < LEAST_ITEMS) return null;
  const log = median(equal.map((one) => one.log));
  const deviation = median(equal.map((one) => Math.abs(one.log - log))) / NORMAL_MAD;
  const noise = median(equal.map(({ error }) => error));
  const spread = Math.max(floor, Math.sqrt(Math.max(0, deviation ** 2 - noise ** 2)));
  const scores = equal.map((one) => {
    const error = Math.hypot(one.error, spread);
    return error === 0 ? 0 : Math.abs(one.log - log) / error;
  });
  return { log, spread, inflation: Math.max(1, median(scores) / NORMAL_MAD), items: equal.length };
}
