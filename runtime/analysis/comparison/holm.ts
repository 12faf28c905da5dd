/** Corrects p values for multiple tests (S. Holm, Scandinavian Journal of Statistics 6, 1979). */
export function holm(ps: readonly number[]): number[] {
  const adjusted = new Array<number>(ps.length);
  let largest = 0;
  const order = ps.map((p, i) => ({ p, i })).sort((a, b) => a.p - b.p);
  for (const [rank, { p, i }] of order.entries()) {
    largest = Math.max(largest, Math.min(1, p * (ps.length - rank)));
    adjusted[i] = largest;
  }
  return adjusted;
}

/**
 * Corrects p values for multiple tests, so that of the tests called significant at a level, at most that part is false on
 * average (Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", JRSS B 57, 1995). If no difference is real,
 * any is called real at most at that level.
 */
export function benjaminiHochberg(ps: readonly number[]): number[] {
  const adjusted = new Array<number>(ps.length);
  let least = 1;
  const order = ps.map((p, i) => ({ p, i })).sort((a, b) => b.p - a.p);
  for (const [place, { p, i }] of order.entries()) {
    least = Math.min(least, p * ps.length / (ps.length - place));
    adjusted[i] = least;
  }
  return adjusted;
}
