/** Fewer times than this show no trend. */
const FEWEST = 5;

/** Two-sided 5 % of the standard normal distribution. */
const CRITICAL = 1.96;

/** By how much the times of a fixed kernel changed over a run. */
export interface Trend {
  /** From the first to the last, as a part of the mean: 0.1 for 10 % longer. */
  readonly change: number;
  /** Whether it is more than chance would do. */
  readonly significant: boolean;
}

/**
 * The slope is the median of those between all pairs (P. K. Sen, "Estimates of the regression coefficient based on
 * Kendall's tau", JASA 63, 1968), so that single bursts do not count; its test is M. G. Kendall's, by the normal
 * approximation ("Rank Correlation Methods", 1948).
 *
 * @param times ms, in the order in which they were taken
 * @returns null where there are too few
 */
export function probeTrend(times: readonly number[]): Trend | null {
  const n = times.length;
  const mean = times.reduce((sum, time) => sum + time, 0) / n;
  if (n < FEWEST || !(mean > 0)) return null;
  const slopes: number[] = [];
  let concordance = 0;
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      slopes.push((times[j]! - times[i]!) / (j - i));
      concordance += Math.sign(times[j]! - times[i]!);
    }
  }
  slopes.sort((a, b) => a - b);
  const middle = slopes.length / 2;
  const slope = (slopes[Math.ceil(middle) - 1]! + slopes[Math.floor(middle)]!) / 2;
  const spread = Math.sqrt(n * (n - 1) * (2 * n + 5) / 18);
  const score = Math.max(0, Math.abs(concordance) - 1) / spread;
  return { change: slope * (n - 1) / mean, significant: score > CRITICAL };
}
