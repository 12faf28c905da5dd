/**
 * Student's t distribution by its distribution function, an incomplete beta function, and quantiles by inverting it:
 * P(|T| > t) = I(df / (df + t^2); df / 2, 1 / 2) (M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 26.7.1 and
 * 26.5.27).
 *
 * @module
 */

/** Degrees of freedom from which Student's t is the normal distribution to more digits than are printed. */
export const NORMAL_FREEDOM = 1e6;

/** Returns P(|T| > |t|). `df` > 0 may be fractional. */
export function tProbability(t: number, df: number): number {
  return incompleteBeta(df / (df + t * t), df / 2, 0.5);
}

/** Returns the t with P(|T| < t) = `level`. `df` > 0 may be fractional, like Welch's. */
export function tQuantile(level: number, df: number): number {
  const tail = 1 - level;
  let high = 1;
  while (tProbability(high, df) > tail && high < Number.MAX_VALUE / 4) high *= 2;
  let low = 0;
  while (high - low > 1e-12 * high) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (tProbability(middle, df) > tail) low = middle;
    else high = middle;
  }
  return high;
}

/** Computes I(x; a, b) by the continued fraction of Abramowitz and Stegun 26.5.8, with Lentz's method. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  const apart = (value: number) => Math.abs(value) < Number.MIN_VALUE ? Number.EPSILON : value;
  let c = 1;
  let d = 1 / apart(1 - (a + b) * x / (a + 1));
  let sum = d;
  for (let m = 1; m <= 500; m++) {
    const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / apart(1 + even * d);
    c = apart(1 + even / c);
    sum *= c * d;
    const odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / apart(1 + odd * d);
    c = apart(1 + odd / c);
    const step = c * d;
    sum *= step;
    if (Math.abs(step - 1) < 1e-15) break;
  }
  return front * sum;
}

/** Computes ln Γ(x) for x > 0: Stirling's series (Abramowitz and Stegun 6.1.41) from 10, and the recurrence below. */
function logGamma(x: number): number {
  let shift = 0;
  for (; x < 10; x++) shift -= Math.log(x);
  const y = 1 / (x * x);
  const series = (1 / 12 + y * (-1 / 360 + y * (1 / 1260 + y * (-1 / 1680 + y * (1 / 1188 - y * 691 / 360360))))) / x;
  return shift + (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series;
}
