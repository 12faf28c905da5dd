import { tProbability, tQuantile } from "../student_t.ts";

/** Mean with its interval and the two-sided p of a mean of 0. */
export interface StudentEstimate {
  readonly value: number;
  readonly interval: { readonly low: number; readonly high: number };
  readonly p: number;
}

/**
 * Estimates the mean of two values or more (Student, "The probable error of a mean", Biometrika 6, 1908). Takes the values
 * for independent and normal: unlike the sign-flip tests, it is a model.
 */
export function studentMean(values: readonly number[], level: number): StudentEstimate {
  const freedom = values.length - 1;
  const value = values.reduce((sum, one) => sum + one, 0) / values.length;
  const squares = values.reduce((sum, one) => sum + (one - value) ** 2, 0);
  const error = Math.sqrt(squares / freedom / values.length);
  const half = tQuantile(level, freedom) * error;
  const p = error > 0 ? tProbability(value / error, freedom) : value === 0 ? 1 : 0;
  return { value, interval: { low: value - half, high: value + half }, p };
}
