/** Minimum number of times for a trend. */
const MIN = 5;

/** Two-sided 5 % quantile of the standard normal distribution. */
const CRITICAL = 1.96;

/** Change of a fixed kernel's time over a run. */
export interface Trend {
  /** Change from the first to the last, relative to the mean: 0.1 for 10 % longer. */
  readonly change: number;
  /** True if the change is statistically significant. */
  readonly significant: boolean;
}

/**
 * Estimates the trend of a series. The slope is the median over all pairs (P. K. Sen, "Estimates of the regression
 * coefficient based on Kendall's tau", JASA 63, 1968), which ignores single bursts. The test is M. G. Kendall's, by the
 * normal approximation ("Rank Correlation Methods", 1948).
 *
 * @param times ms, in the order of measurement
 * @returns null with too few times
 */
export function probeTrend(times: readonly number[]): Trend | null {
  const n = times.length;
  const mean = times.reduce((sum, time) => sum + time, 0) / n;
  if (n < MIN || !(mean > 0)) return null;
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
