import { NORMAL_FREEDOM, tQuantile } from "../student_t.ts";

/** Fewest values whose median has a variance. */
export const MIN_SAMPLES = 3;

/**
 * Returns the variance of the median of values, from the distance of two order statistics around it (R. M. Price and
 * D. G. Bonett, "Estimating the variance of the sample median", J. Stat. Comput. Simul. 68, 2001), so that stalled steps
 * weigh no more than others; null for fewer than 3 values.
 */
export function medianVariance(values: readonly number[]): number | null {
  const n = values.length;
  if (n < MIN_SAMPLES) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const rank = Math.max(1, Math.round((n + 1) / 2 - Math.sqrt(n)));
  // P(fewer than `rank` of n values lie below the median), both sides
  let [term, tails] = [0.5 ** (n - 1), 0];
  for (let i = 0; i < rank; i++) {
    tails += term;
    term *= (n - i) / (i + 1);
  }
  const distance = sorted[n - rank]! - sorted[rank - 1]!;
  return (distance / (2 * tQuantile(1 - tails, NORMAL_FREEDOM))) ** 2;
}
