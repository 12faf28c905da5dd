/**
 * Reference of batch normalisation in double precision over logical, row-major values.
 *
 * @module
 */
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";

type Values = ArrayLike<number>;

export interface Statistics {
  readonly mean: Float64Array;
  /** Biased variance. */
  readonly variance: Float64Array;
}

/** Returns the mean and variance of each channel of `[n, c, ...]`. */
export function statistics(x: Values, shape: Shape): Statistics {
  const channels = shape[1]!;
  const rows = sizeOf(shape) / channels;
  const mean = new Float64Array(channels);
  const variance = new Float64Array(channels);
  eachChannel(shape, (i, c) => mean[c]! += x[i]! / rows);
  eachChannel(shape, (i, c) => variance[c]! += (x[i]! - mean[c]!) ** 2 / rows);
  return { mean, variance };
}

export interface Normalisation {
  readonly gamma: Values;
  readonly beta: Values;
  readonly residual?: Values | undefined;
  readonly epsilon: number;
  readonly activation: "none" | "relu";
}

/** Normalises each channel of `[n, c, ...]` by the given statistics. */
export function normalise(x: Values, shape: Shape, { mean, variance }: Statistics, by: Normalisation): Float64Array {
  const y = new Float64Array(x.length);
  eachChannel(shape, (i, c) => {
    const scaled = (x[i]! - mean[c]!) / Math.sqrt(variance[c]! + by.epsilon) * by.gamma[c]! + by.beta[c]!;
    const sum = scaled + (by.residual?.[i] ?? 0);
    y[i] = by.activation === "relu" ? Math.max(sum, 0) : sum;
  });
  return y;
}

function eachChannel(shape: Shape, visit: (element: number, channel: number) => void): void {
  const pixels = sizeOf(shape.slice(2));
  for (let i = 0; i < sizeOf(shape); i++) visit(i, Math.floor(i / pixels) % shape[1]!);
}
