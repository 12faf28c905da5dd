/**
 * Speed of convolutions, linear layers and matrix products by themselves, forward and gradients, every candidate, with
 * a sample of each result checked against double precision in the same run.
 *
 *     deno run -A bench/ops.ts                # all
 *     deno run -A bench/ops.ts resnet f16     # cases and kernels whose line has all of these words
 *
 * @module
 */
import { conv2d } from "../ops/conv2d.ts";
import { conv2dInputGrad } from "../ops/conv2d_input_grad.ts";
import { conv2dWeightGrad } from "../ops/conv2d_weight_grad.ts";
import { linear } from "../ops/linear.ts";
import { linearInputGrad } from "../ops/linear_input_grad.ts";
import { linearWeightGrad } from "../ops/linear_weight_grad.ts";
import { matmul } from "../ops/matmul.ts";
import type { FloatType } from "../runtime/core/dtype.ts";
import { RandomStream } from "../runtime/core/random.ts";
import { sizeOf } from "../runtime/core/shape.ts";
import { Device } from "../runtime/device/device.ts";
import { Graph } from "../runtime/graph/graph.ts";
import type { Tensor } from "../runtime/graph/tensor.ts";
import { activation, rowMajor } from "../runtime/graph/types.ts";
import { candidatesOf, timePlan } from "./plan_timer.ts";

/** Element `i` of the result in physical order, from the inputs in physical order. */
type Reference = (i: number, inputs: readonly Float32Array[]) => number;

interface Case {
  readonly name: string;
  readonly output: Tensor;
  readonly reference: Reference;
  /** The part of a ResNet-20 step that it is, and how many layers have this shape. */
  readonly resnet?: { readonly part: string; readonly layers: number };
}

const words = Deno.args;
/** Device time of ResNet-20's convolutions at batch 32 with the default kernels, by part. */
const resnet = new Map<string, number>();
const device = await Device.open();
console.log(`${device.info.name ?? "unknown adapter"} (${device.traits.class})`);
console.log(
  `${"case".padEnd(42)} ${"kernel".padEnd(48)} ${"ms".padStart(8)} ${"GFLOP/s".padStart(8)} ${"first ms".padStart(9)}`,
);
for (const dtype of ["f32", "f16"] as const) {
  for (const item of cases(dtype)) await measure(item, dtype);
}
for (const [part, ms] of resnet) console.log(`ResNet-20 b32, ${part}: ${ms.toFixed(1)} ms`);
console.log(`${device.pipelines.size} pipelines`);

async function measure({ name, output, reference, resnet: share }: Case, dtype: FloatType): Promise<void> {
  const node = output.node;
  const random = new RandomStream(1);
  let inputs: Float32Array[] | undefined;
  for (const [choice, plan] of candidatesOf(node, device).entries()) {
    const label = `${name} ${dtype} ${plan.name}`;
    if (!words.every((word) => label.includes(word))) continue;
    inputs ??= node.inputs.map((input) => {
      const values = Array.from({ length: sizeOf(input.shape) }, () => random.uniform() - 0.5);
      return dtype === "f16" ? Float32Array.from(Float16Array.from(values)) : Float32Array.from(values);
    });
    const timing = await timePlan(device, node, plan, inputs);
    if (share !== undefined && choice === 0) {
      const part = `${share.part} ${dtype}`;
      resnet.set(part, (resnet.get(part) ?? 0) + share.layers * timing.median);
    }
    const flops = node.op.cost(node.inputs.map((input) => input.type), node.outputs, node.attrs).flops;
    let worst = 0;
    for (let sample = 0; sample < 50; sample++) {
      const i = random.below(timing.output.length);
      const expected = reference(i, inputs);
      worst = Math.max(worst, Math.abs(timing.output[i]! - expected) / (1 + Math.abs(expected)));
    }
    console.log(
      `${`${name} ${dtype}`.padEnd(42)} ${plan.name.padEnd(48)} ${timing.median.toFixed(3).padStart(8)} ` +
        `${(flops / timing.median / 1e6).toFixed(1).padStart(8)} ${timing.first.toFixed(0).padStart(9)}` +
        (worst > (dtype === "f16" ? 2e-3 : 1e-4) ? `  WRONG by ${worst}` : ""),
    );
  }
}

function* cases(dtype: FloatType): Generator<Case> {
  yield* conv("resnet 3-16 32x32 b32", dtype, 32, 32, 3, 16, 3, 1, 1, 1, 1);
  yield* conv("resnet 16-16 32x32 b32", dtype, 32, 32, 16, 16, 3, 1, 1, 1, 6);
  yield* conv("resnet 16-32 32x32 b32 stride 2", dtype, 32, 32, 16, 32, 3, 2, 1, 1, 1);
  yield* conv("resnet 32-32 16x16 b32", dtype, 32, 16, 32, 32, 3, 1, 1, 1, 5);
  yield* conv("resnet 32-64 16x16 b32 stride 2", dtype, 32, 16, 32, 64, 3, 2, 1, 1, 1);
  yield* conv("resnet 64-64 8x8 b32", dtype, 32, 8, 64, 64, 3, 1, 1, 1, 5);
  yield* conv("lenet 1-6 28x28 b64 k5", dtype, 64, 28, 1, 6, 5, 1, 2);
  yield* conv("lenet 6-16 14x14 b64 k5", dtype, 64, 14, 6, 16, 5, 1, 0);
  yield* conv("1x1 64-256 14x14 b16", dtype, 16, 14, 64, 256, 1, 1, 0);
  yield* conv("depthwise 64 28x28 b16", dtype, 16, 28, 64, 64, 3, 1, 1, 64);
  yield* dense("lenet 400-120 b64", dtype, 64, 400, 120);
  yield* dense("lenet 120-84 b64", dtype, 64, 120, 84);
  yield* dense("lenet 84-10 b64", dtype, 64, 84, 10);
  yield* dense("mlp 1568-128 b64", dtype, 64, 1568, 128);
  for (const [transposeA, transposeB] of [[false, false], [true, false], [false, true]] as const) {
    const graph = new Graph();
    const [a, b] = ["a", "b"].map((name) => graph.leaf("input", name, rowMajor([512, 512], dtype)));
    const at = (i: number, j: number, t: boolean) => t ? j * 512 + i : i * 512 + j;
    yield {
      name: `matmul 512 ${transposeA ? "t" : "n"}${transposeB ? "t" : "n"}`,
      output: matmul(a!, b!, { transposeA, transposeB }),
      reference: (i, [a, b]) =>
        dot(512, (k) => a![at(Math.floor(i / 512), k, transposeA)]! * b![at(k, i % 512, transposeB)]!),
    };
  }
}

function* conv(
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
): Generator<Case> {
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

function* dense(name: string, dtype: FloatType, n: number, into: number, out: number): Generator<Case> {
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

/** Digits of `i` in a mixed radix, least significant first; the last is what is left. */
function split(i: number, ...radices: number[]): [number, number, number, number] {
  const digits = radices.map((radix) => {
    const digit = i % radix;
    i = Math.floor(i / radix);
    return digit;
  });
  return [...digits, i] as [number, number, number, number];
}
