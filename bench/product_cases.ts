/**
 * Convolutions, linear layers and matrix products as cases of `kernels.ts`, with the shapes of ResNet-20, LeNet, MLPs
 * and GEMM, and on a GPU those of ResNet-50.
 *
 * @module
 */
import { conv2d, conv2dInputGrad, conv2dWeightGrad } from "../ops/conv2d.ts";
import { linear, linearInputGrad, linearWeightGrad } from "../ops/linear.ts";
import { matmul } from "../ops/matmul.ts";
import type { FloatType } from "../runtime/core/dtype.ts";
import { Graph } from "../runtime/graph/graph.ts";
import { activation, rowMajor } from "../runtime/graph/types.ts";
import type { KernelCase } from "./kernel_case.ts";

/** Yields every case in one element type. */
export function* productCases(dtype: FloatType): Generator<KernelCase> {
  yield* conv("resnet 3-16 32x32 b32", dtype, 32, 32, 3, 16, 3, 1, 1, 1, 1);
  yield* conv("resnet 16-16 32x32 b32", dtype, 32, 32, 16, 16, 3, 1, 1, 1, 6);
  yield* conv("resnet 16-32 32x32 b32 stride 2", dtype, 32, 32, 16, 32, 3, 2, 1, 1, 1);
  yield* conv("resnet 16-32 32x32 b32 1x1 stride 2", dtype, 32, 32, 16, 32, 1, 2, 0, 1, 1);
  yield* conv("resnet 32-32 16x16 b32", dtype, 32, 16, 32, 32, 3, 1, 1, 1, 5);
  yield* conv("resnet 32-64 16x16 b32 stride 2", dtype, 32, 16, 32, 64, 3, 2, 1, 1, 1);
  yield* conv("resnet 64-64 8x8 b32", dtype, 32, 8, 64, 64, 3, 1, 1, 1, 5);
  yield* conv("lenet 1-6 28x28 b64 k5", dtype, 64, 28, 1, 6, 5, 1, 2);
  yield* conv("lenet 6-16 14x14 b64 k5", dtype, 64, 14, 6, 16, 5, 1, 0);
  yield* conv("1x1 64-256 14x14 b16", dtype, 16, 14, 64, 256, 1, 1, 0);
  yield* conv("depthwise 64 28x28 b16", dtype, 16, 28, 64, 64, 3, 1, 1, 64);
  yield* conv("mobilenet depthwise 32 112x112 b2", dtype, 2, 112, 32, 32, 3, 1, 1, 32);
  yield* conv("mobilenet depthwise 96 112x112 b2 stride 2", dtype, 2, 112, 96, 96, 3, 2, 1, 96);
  yield* conv("mobilenet depthwise 384 14x14 b8", dtype, 8, 14, 384, 384, 3, 1, 1, 384);
  yield* conv("mobilenet depthwise 960 7x7 b8 k5", dtype, 8, 7, 960, 960, 5, 1, 2, 960);
  yield* conv("mobilenet 1x1 96-24 56x56 b2", dtype, 2, 56, 96, 24, 1, 1, 0);
  yield* conv("mobilenet 1x1 64-384 14x14 b8", dtype, 8, 14, 64, 384, 1, 1, 0);
  yield* dense("lenet 400-120 b64", dtype, 64, 400, 120);
  yield* dense("lenet 120-84 b64", dtype, 64, 120, 84);
  yield* dense("lenet 84-10 b64", dtype, 64, 84, 10);
  yield* dense("mlp 1568-128 b64", dtype, 64, 1568, 128);
  yield* dense("mlp 3072-512 b128", dtype, 128, 3072, 512);
  for (const [transposeA, transposeB] of [[false, false], [true, false], [false, true]] as const) {
    yield gemm(512, dtype, transposeA, transposeB);
  }
}

/** Yields cases that take minutes on a software adapter: a large product, and ResNet-50 on images of 224 x 224. */
export function* gpuProductCases(dtype: FloatType): Generator<KernelCase> {
  yield gemm(1024, dtype);
  yield gemm(4096, dtype);
  yield* conv("resnet50 3-64 224x224 b64 7x7 stride 2", dtype, 64, 224, 3, 64, 7, 2, 3);
  for (const [size, channels] of [[56, 64], [28, 128], [14, 256], [7, 512]] as const) {
    const [inner, outer] = [`${channels}`, `${4 * channels}`];
    const images = `${size}x${size} b64`;
    yield* conv(`resnet50 ${inner}-${inner} ${images} 3x3`, dtype, 64, size, channels, channels, 3, 1, 1);
    yield* conv(`resnet50 ${inner}-${outer} ${images} 1x1`, dtype, 64, size, channels, 4 * channels, 1, 1, 0);
    yield* conv(`resnet50 ${outer}-${inner} ${images} 1x1`, dtype, 64, size, 4 * channels, channels, 1, 1, 0);
  }
  yield* conv("resnet50 128-128 56x56 b64 3x3 stride 2", dtype, 64, 56, 128, 128, 3, 2, 1);
  yield* conv("resnet50 256-512 56x56 b64 1x1 stride 2", dtype, 64, 56, 256, 512, 1, 2, 0);
}

/** Returns a square product. */
export function gemm(size: number, dtype: FloatType, transposeA = false, transposeB = false): KernelCase {
  const graph = new Graph();
  const [a, b] = ["a", "b"].map((name) => graph.leaf("input", name, rowMajor([size, size], dtype)));
  const at = (i: number, j: number, t: boolean) => t ? j * size + i : i * size + j;
  return {
    name: `matmul ${size} ${transposeA ? "t" : "n"}${transposeB ? "t" : "n"}`,
    output: matmul(a!, b!, { transposeA, transposeB }),
    reference: (i, [a, b]) =>
      dot(size, (k) => a![at(Math.floor(i / size), k, transposeA)]! * b![at(k, i % size, transposeB)]!),
  };
}

/** Yields a convolution and its gradients. */
export function* conv(
  name: string,
  dtype: FloatType,
  n: number,
  size: number,
  into: number,
  out: number,
  kernel: number,
  stride: number,
  padding: number,
  groups = 1,
  layers = 0,
): Generator<KernelCase> {
  const attrs = { stride: [stride, stride], padding: [padding, padding], dilation: [1, 1], groups } as const;
  const graph = new Graph();
  const x = graph.leaf("input", "x", activation([n, into, size, size], dtype));
  const [c, o] = [into / groups, out / groups];
  const weight = graph.leaf("parameter", "weight", { shape: [out, c, kernel, kernel], dtype, layout: "hwio" });
  const y = conv2d(x, weight, null, attrs);
  const dy = graph.leaf("input", "dy", y.type);
  const outSize = y.shape[2]!;
  const xAt = (image: number, row: number, column: number, channel: number) =>
    row < 0 || column < 0 || row >= size || column >= size
      ? -1
      : ((image * size + row) * size + column) * into + channel;
  const yAt = (image: number, row: number, column: number, channel: number) =>
    row < 0 || column < 0 || row >= outSize || column >= outSize || !Number.isInteger(row) || !Number.isInteger(column)
      ? -1
      : ((image * outSize + row) * outSize + column) * out + channel;
  const product = (a: Float32Array, i: number, b: Float32Array, j: number) => i < 0 || j < 0 ? 0 : a[i]! * b[j]!;
  const taps = kernel * kernel;
  const part = (part: string) => layers > 0 ? { resnet: { part, layers } } : {};
  yield {
    name: `${name} forward`,
    output: y,
    ...part("conv forward"),
    reference(i, [x, w]) {
      const [channel, column, row, image] = split(i, out, outSize, outSize);
      return dot(taps * c, (t) => {
        const [ci, kx, ky] = split(t, c, kernel, kernel);
        const from = xAt(
          image,
          row * stride - padding + ky,
          column * stride - padding + kx,
          Math.floor(channel / o) * c + ci,
        );
        return product(x!, from, w!, t * out + channel);
      });
    },
  };
  yield {
    name: `${name} input`,
    output: conv2dInputGrad(dy, weight, { ...attrs, inputShape: x.shape }),
    ...(into > 3 ? part("conv input gradient") : {}),
    reference(i, [dy, w]) {
      const [channel, column, row, image] = split(i, into, size, size);
      return dot(taps * o, (t) => {
        const [co, kx, ky] = split(t, o, kernel, kernel);
        const [group, ci] = [Math.floor(channel / c), channel % c];
        const from = yAt(image, (row + padding - ky) / stride, (column + padding - kx) / stride, group * o + co);
        return product(dy!, from, w!, ((ky * kernel + kx) * c + ci) * out + group * o + co);
      });
    },
  };
  yield {
    name: `${name} weight`,
    output: conv2dWeightGrad(x, dy, { ...attrs, weight: weight.type }),
    ...part("conv weight gradient"),
    reference(i, [x, dy]) {
      const [channel, ci, kx, ky] = split(i, out, c, kernel);
      return dot(n * outSize * outSize, (p) => {
        const [column, row, image] = split(p, outSize, outSize, n);
        const from = xAt(
          image,
          row * stride - padding + ky,
          column * stride - padding + kx,
          Math.floor(channel / o) * c + ci,
        );
        return product(x!, from, dy!, p * out + channel);
      });
    },
  };
}

/** Yields a linear layer and its gradients. */
export function* dense(name: string, dtype: FloatType, n: number, into: number, out: number): Generator<KernelCase> {
  const graph = new Graph();
  const x = graph.leaf("input", "x", rowMajor([n, into], dtype));
  const weight = graph.leaf("parameter", "weight", { shape: [out, into], dtype, layout: "io" });
  const dy = graph.leaf("input", "dy", rowMajor([n, out], dtype));
  yield {
    name: `linear ${name} forward`,
    output: linear(x, weight, null),
    reference: (i, [x, w]) => dot(into, (k) => x![Math.floor(i / out) * into + k]! * w![k * out + i % out]!),
  };
  yield {
    name: `linear ${name} input`,
    output: linearInputGrad(dy, weight),
    reference: (i, [dy, w]) => dot(out, (k) => dy![Math.floor(i / into) * out + k]! * w![(i % into) * out + k]!),
  };
  yield {
    name: `linear ${name} weight`,
    output: linearWeightGrad(x, dy, { weight: weight.type }),
    reference: (i, [x, dy]) => dot(n, (k) => x![k * into + Math.floor(i / out)]! * dy![k * out + i % out]!),
  };
}

function dot(n: number, term: (k: number) => number): number {
  let sum = 0;
  for (let k = 0; k < n; k++) sum += term(k);
  return sum;
}

/** Returns the digits of `i` in a mixed radix, least significant first; the last digit is the remaining quotient. */
function split(i: number, ...radices: number[]): [number, number, number, number] {
  const digits = radices.map((radix) => {
    const digit = i % radix;
    i = Math.floor(i / radix);
    return digit;
  });
  return [...digits, i] as [number, number, number, number];
}
