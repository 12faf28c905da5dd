/**
 * Reference ops as plain loops in double precision over logical, row-major values, written for clarity.
 *
 * @module
 */
import type { AvgPool2dAttrs } from "../../ops/avg_pool2d.ts";
import type { PoolAttrs } from "../../ops/kernels/pool.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";

type Values = ArrayLike<number>;

/** Reduces each window of x, given as row-major values without padding, to one number. */
function pool(x: Values, shape: Shape, attrs: PoolAttrs, reduce: (window: number[]) => number): Float64Array {
  const [n, c, h, w] = shape as readonly [number, number, number, number];
  const { kernel, stride, padding } = attrs;
  const rows = Math.floor((h + 2 * padding[0] - kernel[0]) / stride[0]) + 1;
  const columns = Math.floor((w + 2 * padding[1] - kernel[1]) / stride[1]) + 1;
  const out: number[] = [];
  for (let image = 0; image < n * c; image++) {
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < columns; j++) {
        const window: number[] = [];
        for (let a = 0; a < kernel[0]; a++) {
          for (let b = 0; b < kernel[1]; b++) {
            const y = i * stride[0] - padding[0] + a;
            const z = j * stride[1] - padding[1] + b;
            if (y >= 0 && y < h && z >= 0 && z < w) window.push(x[(image * h + y) * w + z]!);
          }
        }
        out.push(reduce(window));
      }
    }
  }
  return Float64Array.from(out);
}

export function maxPool(x: Values, shape: Shape, attrs: PoolAttrs): Float64Array {
  return pool(x, shape, attrs, (window) => Math.max(...window));
}

export function avgPool(x: Values, shape: Shape, attrs: AvgPool2dAttrs): Float64Array {
  const full = sizeOf(attrs.kernel);
  return pool(
    x,
    shape,
    attrs,
    (window) => window.reduce((a, b) => a + b, 0) / (attrs.countIncludePad ? full : window.length),
  );
}

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

/** Returns the mean over rows of -sum_k q_k log softmax(logits)_k. */
export function crossEntropy(logits: Values, targets: Values, classes: number, smoothing: number): number {
  const n = targets.length;
  let loss = 0;
  for (let row = 0; row < n; row++) {
    const x = Array.from({ length: classes }, (_, k) => logits[row * classes + k]!);
    const largest = Math.max(...x);
    const logSum = largest + Math.log(x.reduce((sum, v) => sum + Math.exp(v - largest), 0));
    x.forEach((v, k) => {
      const q = (k === targets[row] ? 1 - smoothing : 0) + smoothing / classes;
      loss += q * (logSum - v) / n;
    });
  }
  return loss;
}
