/**
 * Returns P(X <= x) for a standard normal X in double precision: 1/2 + p(x) (x + x^3/3 + x^5/15 + ...) (G. Marsaglia,
 * "Evaluating the Normal Distribution", 2004).
 */
export function normalBelow(x: number): number {
  if (x < -8) return 0;
  if (x > 8) return 1;
  let [sum, term] = [x, x];
  for (let i = 3; Math.abs(term) > 1e-17 * Math.abs(sum); i += 2) sum += term *= x * x / i;
  return 0.5 + sum * Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);
}
