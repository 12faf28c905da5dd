/**
 * Student's t distribution with a whole number of degrees of freedom, and the estimate of a mean that it gives. Takes the
 * values for independent and normal, so that it is a model, unlike the sign-flip tests.
 *
 * @module
 */

/** Halvings of the range in which a quantile is sought. */
const HALVINGS = 60;

/** Quantiles are at most this large: t of 1 degree of freedom at 0.999999. */
const LARGEST_T = 1e6;

/** Mean with its interval and the two-sided p of a mean of 0. */
export interface StudentEstimate {
  readonly value: number;
  readonly interval: { readonly low: number; readonly high: number };
  readonly p: number;
}

/** Estimates the mean of two values or more (Student, "The probable error of a mean", Biometrika 6, 1908). */
export function studentMean(values: readonly number[], level: number): StudentEstimate {
  const freedom = values.length - 1;
  const value = values.reduce((sum, one) => sum + one, 0) / values.length;
  const squares = values.reduce((sum, one) => sum + (one - value) ** 2, 0);
  const error = Math.sqrt(squares / freedom / values.length);
  const half = studentQuantile(level, freedom) * error;
  const p = error > 0 ? studentP(value / error, freedom) : value === 0 ? 1 : 0;
  return { value, interval: { low: value - half, high: value + half }, p };
}

/** Returns the probability that |t| is at least as large (Abramowitz and Stegun, Handbook, 26.7.3 and 26.7.4). */
export function studentP(t: number, freedom: number): number {
  const angle = Math.atan(Math.abs(t) / Math.sqrt(freedom));
  const odd = freedom % 2 === 1;
  let term = odd ? Math.cos(angle) : 1;
  let sum = freedom === 1 ? 0 : term;
  for (let k = odd ? 3 : 2; k < freedom; k += 2) {
    term *= (k - 1) / k * Math.cos(angle) ** 2;
    sum += term;
  }
  const inside = odd ? 2 / Math.PI * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
  return Math.max(0, 1 - inside);
}

/** Returns the t between whose two signs the distribution has the probability `level`. */
export function studentQuantile(level: number, freedom: number): number {
  let [below, above] = [0, LARGEST_T];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (below + above) / 2;
    if (studentP(middle, freedom) > 1 - level) below = middle;
    else above = middle;
  }
  return above;
}
