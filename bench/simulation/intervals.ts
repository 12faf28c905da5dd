/** Alternative confidence intervals for a mean, for comparison with the one in use. */
import { estimateLogs } from "../../runtime/analysis/comparison/estimate.ts";
import { quantile } from "../../runtime/analysis/step_statistics.ts";
import type { RandomStream } from "../../runtime/core/random.ts";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

const RESAMPLES = 599;

/** Student's t at 97.5 % by degrees of freedom from 1. */
const STUDENT_T = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145];
const STUDENT_T_FROM_15 = [2.131, 2.12, 2.11, 2.101, 2.093];

/**
 * Returns 95 % intervals of 4 to 20 `values` by method. The bootstraps follow B. Efron and R. Tibshirani, "An
 * Introduction to the Bootstrap", 1993, chapters 12 to 14.
 */
export function intervalsOf(values: readonly number[], random: RandomStream): Record<string, Interval> {
  const { mean, error } = momentsOf(values);
  const t = [...STUDENT_T, ...STUDENT_T_FROM_15][values.length - 2]! * error;
  const resamples = Array.from(
    { length: RESAMPLES },
    () => momentsOf(values.map(() => values[random.below(values.length)]!)),
  );
  const means = resamples.map((resample) => resample.mean).sort((a, b) => a - b);
  const studentized = resamples
    .map((resample) => resample.error > 0 ? (resample.mean - mean) / resample.error : Infinity)
    .sort((a, b) => a - b);
  const [bcaLow, bcaHigh] = bcaParts(values, means, mean);
  return {
    "in use": estimateLogs(values)!.interval!,
    "Student's t": { low: mean - t, high: mean + t },
    "percentile": { low: quantile(means, 0.025), high: quantile(means, 0.975) },
    "BCa": { low: quantile(means, bcaLow), high: quantile(means, bcaHigh) },
    "bootstrap t": {
      low: mean - bounded(quantile(studentized, 0.975)) * error,
      high: mean - bounded(quantile(studentized, 0.025)) * error,
    },
  };
}

/** Bounds t, which is infinite if a resample of few values has no spread. */
function bounded(t: number): number {
  return Number.isNaN(t) ? Infinity : t;
}

function momentsOf(values: readonly number[]): { mean: number; error: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, error: Math.sqrt(squares / (values.length - 1) / values.length) };
}

/** Returns the quantiles of the resampled means that bound the BCa interval. */
function bcaParts(values: readonly number[], means: readonly number[], mean: number): [number, number] {
  const below = means.filter((value) => value < mean).length;
  const bias = normalQuantile((below + 0.5) / (means.length + 1));
  const total = values.reduce((sum, value) => sum + value, 0);
  const distances = values.map((value) => mean - (total - value) / (values.length - 1));
  const cubes = distances.reduce((sum, distance) => sum + distance ** 3, 0);
  const squares = distances.reduce((sum, distance) => sum + distance ** 2, 0);
  const acceleration = squares === 0 ? 0 : cubes / (6 * squares ** 1.5);
  const part = (z: number) => normalCdf(bias + (bias + z) / (1 - acceleration * (bias + z)));
  return [part(-1.96), part(1.96)];
}

/**
 * Computes the normal distribution function to 1e-7 (Abramowitz and Stegun, "Handbook of Mathematical Functions",
 * 26.2.17).
 */
function normalCdf(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const tail = Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI) *
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return x > 0 ? 1 - tail : tail;
}

function normalQuantile(part: number): number {
  let [low, high] = [-8, 8];
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < part) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
