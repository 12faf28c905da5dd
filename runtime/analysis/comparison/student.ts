import { tProbability, tQuantile } from "../student_t.ts";

/** Mean with its interval and the two-sided p of a mean of 0. */
export interface StudentEstimate {
  readonly value: number;
  readonly interval: { readonly low: number; readonly high: number };
  readonly p: number;
}

/** A standard deviation, with the degrees of freedom of its estimate. */
export interface Deviation {
  readonly size: number;
  readonly freedom: number;
}

/**
 * Estimates the mean of two values or more (Student, "The probable error of a mean", Biometrika 6, 1908). Takes the values
 * for independent and normal: unlike the sign-flip tests, it is a model.
 *
 * @param known deviation of a value by other data, which counts if it is larger than that of `values`, and its freedom
 */
export function studentMean(
  values: readonly number[],
  level: number,
  known: Deviation = { size: 0, freedom: values.length - 1 },
): StudentEstimate {
  const { freedom } = known;
  const value = values.reduce((sum, one) => sum + one, 0) / values.length;
  const squares = values.reduce((sum, one) => sum + (one - value) ** 2, 0);
  const deviation = Math.max(known.size, Math.sqrt(squares / (values.length - 1)));
  const error = deviation / Math.sqrt(values.length);
  const half = tQuantile(level, freedom) * error;
  const p = error > 0 ? tProbability(value / error, freedom) : value === 0 ? 1 : 0;
  return { value, interval: { low: value - half, high: value + half }, p };
}
