/** Returns the median; NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Interpolates a quantile; `sorted` is ascending and not empty. */
export function quantile(sorted: readonly number[], part: number): number {
  const place = (sorted.length - 1) * part;
  const below = Math.floor(place);
  const [a, b] = [sorted[below]!, sorted[Math.min(below + 1, sorted.length - 1)]!];
  return a + (b - a) * (place - below);
}

/**
 * Returns the interval of the median between two order statistics, with at least 95 % confidence by the binomial
 * distribution (W. J. Conover, "Practical Nonparametric Statistics", 3.2). Fewer than six values have none.
 */
export function medianInterval(values: readonly number[]): { low: number; high: number } | null {
  const sorted = values.toSorted((a, b) => a - b);
  const n = sorted.length;
  let tail = 0.5 ** n;
  if (tail === 0) return normalInterval(sorted);
  if (2 * tail > 0.05) return null;
  let rank = 0;
  for (let term = tail; rank < n / 2; rank++) {
    term *= (n - rank) / (rank + 1);
    if (2 * (tail + term) > 0.05) break;
    tail += term;
  }
  return { low: sorted[rank]!, high: sorted[n - 1 - rank]! };
}

/** The same for many values, by the normal approximation. */
function normalInterval(sorted: readonly number[]): { low: number; high: number } {
  const n = sorted.length;
  const rank = Math.max(0, Math.floor(n / 2 - 0.98 * Math.sqrt(n)) - 1);
  return { low: sorted[rank]!, high: sorted[n - 1 - rank]! };
}
