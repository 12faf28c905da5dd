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
