import { median } from "../../core/statistics.ts";
import { NORMAL_FREEDOM, tQuantile } from "../student_t.ts";

/** Level of the interval whose width gives the error. */
const LEVEL = 0.95;

/**
 * Returns the median of the means of all pairs of values, and its standard error from the width of the interval of the
 * signed-rank test (J. L. Hodges and E. L. Lehmann, "Estimates of location based on rank tests", Ann. Math. Stat. 34, 1963;
 * M. Hollander and D. A. Wolfe, "Nonparametric statistical methods", section 3.3). Needs two values or more, whose
 * distribution is symmetric.
 */
export function hodgesLehmann(values: readonly number[]): { readonly value: number; readonly error: number } {
  const n = values.length;
  const means = values.flatMap((one, i) => values.slice(i).map((other) => (one + other) / 2)).sort((a, b) => a - b);
  const deviation = Math.sqrt(n * (n + 1) * (2 * n + 1) / 24);
  const rank = Math.floor(means.length / 2 - 0.5 - tQuantile(LEVEL, NORMAL_FREEDOM) * deviation);
  // Few values have no interval of that level: all means, whose level is exact
  const quantile = rank > 0 ? (means.length / 2 - 0.5 - rank) / deviation : tQuantile(1 - 2 ** (1 - n), NORMAL_FREEDOM);
  const distance = means.at(-1 - Math.max(0, rank))! - means[Math.max(0, rank)]!;
  return { value: median(means), error: distance / (2 * quantile) };
}
