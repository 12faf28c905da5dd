import { median } from "../../core/statistics.ts";

/** Largest correlation of successive values that is taken at its word; a few values cannot show a larger one. */
const MOST = 0.8;

/**
 * Returns the factor by which the standard error of a median grows because successive values are correlated, at least 1. The
 * variance of a sample quantile of dependent values depends on the correlations of the signs around it (P. K. Sen, "Asymptotic
 * normality of sample quantiles for m-dependent processes", Ann. Math. Stat. 39, 1968), here those of a Markov chain.
 */
export function correlationFactor(values: readonly number[]): number {
  const center = median(values);
  const signs = values.map((value) => Math.sign(value - center));
  const products = signs.slice(1).map((sign, i) => sign * signs[i]!);
  const pairs = products.filter((product) => product !== 0);
  if (pairs.length === 0) return 1;
  const correlation = Math.min(MOST, Math.max(0, pairs.reduce((sum, product) => sum + product, 0) / pairs.length));
  return Math.sqrt((1 + correlation) / (1 - correlation));
}
