/**
 * Ops bound by memory as cases of `kernels.ts`: what counts is GB/s beside a copy's.
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

/** Every case in one type. */
export function* memoryCases(dtype: FloatType): Generator<KernelCase> {
  const shape = [32, 16, 32, 32] as const;
  const [n, c, h, w] = shape;
  const pixels = n * h * w;
  const graph = new Graph("train");
  const images = (name: string, of: readonly number[] = shape) => graph.leaf("input", name, activation(of, dtype));
  const perChannel = (name: string) => graph.leaf("parameter", name, rowMajor([c], "f32"));
  const [x, y] = [images("x"), images("y")];
  yield { name: "relu 32x16x32x32", output: relu(x), reference: (i, [x]) => Math.max(x![i]!, 0) };
  yield { name: "add 32x16x32x32", output: add(x, y), reference: (i, [x, y]) => x![i]! + y![i]! };
  const [gamma, beta, runningMean, runningVariance] = ["gamma", "beta", "mean", "variance"].map(perChannel);
  const epsilon = 1e-5;
  yield {
    name: "batch norm 32x16x32x32",
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
  const [side, channels] = [28, 6];
  const pooling = images("p", [64, channels, side, side]);
  const pooled = maxPool2d(pooling, { kernel: [2, 2] });
  /** Places of the four pixels of the window that a pixel is in. */
  const windowOf = (image: number, row: number, column: number, channel: number) =>
    [0, 1, 2, 3].map((k) =>
      ((image * side + row - row % 2 + (k >> 1)) * side + column - column % 2 + (k & 1)) * channels + channel
    );
  yield {
    name: "max pool 64x6x28x28",
    output: pooled,
    reference(i, [x]) {
      const [channel, column, row, image] = digits(i, channels, side / 2, side / 2);
      return Math.max(...windowOf(image!, 2 * row!, 2 * column!, channel!).map((at) => x![at]!));
    },
  };
  const dy = graph.leaf("input", "dy", pooled.type);
  yield {
    name: "max pool grad 64x6x28x28",
    output: differentiate(pooled, dy, [pooling], add)[0]!,
    reference(i, [dy, x, largest]) {
      const [channel, column, row, image] = digits(i, channels, side, side);
      const window = windowOf(image!, row!, column!, channel!);
      const at = ((image! * side / 2 + (row! >> 1)) * side / 2 + (column! >> 1)) * channels + channel!;
      return window.find((place) => x![place] === largest![at]) === i ? dy![at]! : 0;
    },
  };
}

/** Digits of `i` in a mixed radix, least significant first; the last is what is left. */
function digits(i: number, ...radices: number[]): number[] {
  const found = radices.map((radix) => {
    const digit = i % radix;
    i = Math.floor(i / radix);
    return digit;
  });
  return [...found, i];
}
