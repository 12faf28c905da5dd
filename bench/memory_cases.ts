/**
 * Memory-bound ops as cases of `kernels.ts`, whose GB/s are compared with those of a copy.
 *
 * @module
 */
import { add } from "../ops/add.ts";
import { batchNorm } from "../ops/batch_norm.ts";
import { biasGrad } from "../ops/bias_grad.ts";
import { flatten } from "../ops/flatten.ts";
import { maxPool2d } from "../ops/max_pool2d.ts";
import { relu } from "../ops/relu.ts";
import type { FloatType } from "../runtime/core/dtype.ts";
import { sizeOf } from "../runtime/core/shape.ts";
import { differentiate } from "../runtime/graph/autograd.ts";
import { Graph } from "../runtime/graph/graph.ts";
import { activation, rowMajor } from "../runtime/graph/types.ts";
import type { KernelCase } from "./kernel_case.ts";

/** Yields every case in one element type. */
export function* memoryCases(dtype: FloatType): Generator<KernelCase> {
  const shape = [32, 16, 32, 32] as const;
  yield* elementwise(shape, dtype);
  yield norm(shape, dtype);
  const [n, c, h, w] = shape;
  const pixels = n * h * w;
  const graph = new Graph("train");
  const x = graph.leaf("input", "x", activation(shape, dtype));
  yield {
    name: "bias grad 32x16x32x32",
    output: biasGrad(x, rowMajor([c], "f32")),
    reference(i, [dy]) {
      let sum = 0;
      for (let p = 0; p < pixels; p++) sum += dy![p * c + i]!;
      return sum;
    },
  };
  yield {
    name: "flatten 32x16x32x32",
    output: flatten(x),
    reference: (i, [x]) =>
      x![(Math.floor(i / sizeOf([c, h, w])) * h * w + i % (h * w)) * c + Math.floor(i / (h * w)) % c]!,
  };
  yield* halving([64, 6, 28, 28], dtype);
}

/** Yields cases that need a GPU's memory bandwidth: the first two stages of ResNet-50 at batch 64. */
export function* gpuMemoryCases(dtype: FloatType): Generator<KernelCase> {
  for (const shape of [[64, 64, 112, 112], [64, 256, 56, 56]] as const) {
    yield* elementwise(shape, dtype);
    yield norm(shape, dtype);
  }
}

type Images = readonly [n: number, c: number, h: number, w: number];

function* elementwise(shape: Images, dtype: FloatType): Generator<KernelCase> {
  const graph = new Graph("train");
  const [x, y] = ["x", "y"].map((name) => graph.leaf("input", name, activation(shape, dtype)));
  yield { name: `relu ${shape.join("x")}`, output: relu(x!), reference: (i, [x]) => Math.max(x![i]!, 0) };
  yield { name: `add ${shape.join("x")}`, output: add(x!, y!), reference: (i, [x, y]) => x![i]! + y![i]! };
}

function norm(shape: Images, dtype: FloatType): KernelCase {
  const [n, c, h, w] = shape;
  const pixels = n * h * w;
  const graph = new Graph("train");
  const x = graph.leaf("input", "x", activation(shape, dtype));
  const perChannel = (name: string) => graph.leaf("parameter", name, rowMajor([c], "f32"));
  const [gamma, beta, runningMean, runningVariance] = ["gamma", "beta", "mean", "variance"].map(perChannel);
  const epsilon = 1e-5;
  return {
    name: `batch norm ${shape.join("x")}`,
    output: batchNorm(x, {
      gamma: gamma!,
      beta: beta!,
      runningMean: runningMean!,
      runningVariance: runningVariance!,
    }, { epsilon }),
    reference(i, [x, gamma, beta]) {
      const channel = i % c;
      let [sum, squares] = [0, 0];
      for (let p = 0; p < pixels; p++) sum += x![p * c + channel]!;
      for (let p = 0; p < pixels; p++) squares += (x![p * c + channel]! - sum / pixels) ** 2;
      return (x![i]! - sum / pixels) / Math.sqrt(squares / pixels + epsilon) * gamma![channel]! + beta![channel]!;
    },
  };
}

/** Yields max pooling with windows of 2 x 2, and its gradient. */
function* halving(shape: Images, dtype: FloatType): Generator<KernelCase> {
  const [, channels, side] = shape;
  const graph = new Graph("train");
  const pooling = graph.leaf("input", "p", activation(shape, dtype));
  const pooled = maxPool2d(pooling, { kernel: [2, 2] });
  /** Returns the indices of the four pixels in a pixel's window. */
  const windowOf = (image: number, row: number, column: number, channel: number) =>
    [0, 1, 2, 3].map((k) =>
      ((image * side + row - row % 2 + (k >> 1)) * side + column - column % 2 + (k & 1)) * channels + channel
    );
  yield {
    name: `max pool ${shape.join("x")}`,
    output: pooled,
    reference(i, [x]) {
      const [channel, column, row, image] = digits(i, channels, side / 2, side / 2);
      return Math.max(...windowOf(image!, 2 * row!, 2 * column!, channel!).map((at) => x![at]!));
    },
  };
  const dy = graph.leaf("input", "dy", pooled.type);
  yield {
    name: `max pool grad ${shape.join("x")}`,
    output: differentiate(pooled, dy, [pooling], add)[0]!,
    reference(i, [dy, x, largest]) {
      const [channel, column, row, image] = digits(i, channels, side, side);
      const window = windowOf(image!, row!, column!, channel!);
      const at = ((image! * side / 2 + (row! >> 1)) * side / 2 + (column! >> 1)) * channels + channel!;
      return window.find((place) => x![place] === largest![at]) === i ? dy![at]! : 0;
    },
  };
}

/** Returns the digits of `i` in a mixed radix, least significant first; the last digit is the remaining quotient. */
function digits(i: number, ...radices: number[]): number[] {
  const found = radices.map((radix) => {
    const digit = i % radix;
    i = Math.floor(i / radix);
    return digit;
  });
  return [...found, i];
}
