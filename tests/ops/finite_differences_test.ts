import { ok } from "node:assert/strict";
import { add } from "../../ops/add.ts";
import { conv2d, type ConvAttrs } from "../../ops/conv2d.ts";
import { linear } from "../../ops/linear.ts";
import { matmul } from "../../ops/matmul.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import { differentiate } from "../../runtime/graph/autograd.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { activation, rowMajor, type TensorType } from "../../runtime/graph/types.ts";
import { type ConvCase, convForward, outputSize } from "../support/conv_reference.ts";
import { evaluate } from "../support/evaluate.ts";
import { addProduct, matrix, transposed } from "../support/matmul_reference.ts";

/** Number of elements per input whose derivative is checked. */
const SAMPLES = 12;
const STEP = 1e-3;

interface Product {
  readonly name: string;
  readonly inputs: Readonly<Record<string, TensorType>>;
  readonly output: Shape;
  build(inputs: Readonly<Record<string, Tensor>>): Tensor;
  /** Computes the output in f64 from logical values. */
  forward(values: Readonly<Record<string, Float64Array>>): Float64Array;
}

function normals(n: number, stream: RandomStream): Float64Array {
  // f32 values, so that device and reference start from the same values
  return Float64Array.from({ length: n }, () => Math.fround(stream.normal()));
}

/** Compares the device's gradients with central differences of sum(seed * output), computed in f64. */
async function checkSlopes(product: Product, seed: number): Promise<void> {
  const stream = new RandomStream(seed, 77);
  const graph = new Graph("train");
  const leaves: Record<string, Tensor> = {};
  const values: Record<string, Float64Array> = {};
  for (const [name, type] of Object.entries(product.inputs)) {
    leaves[name] = graph.leaf("parameter", name, type);
    values[name] = normals(sizeOf(type.shape), stream);
  }
  const y = product.build(leaves);
  const weights = normals(sizeOf(product.output), stream);
  const dy = graph.leaf("input", "dy", y.type);
  const names = Object.keys(leaves);
  const gradients = differentiate(y, dy, names.map((name) => leaves[name]!), add) as Tensor[];
  const got = await evaluate(
    gradients,
    new Map<string, ArrayLike<number>>([...Object.entries(values), ["dy", weights]]),
  );
  const total = () => product.forward(values).reduce((sum, value, i) => sum + value * weights[i]!, 0);
  names.forEach((name, n) => {
    const data = values[name]!;
    for (let i = 0; i < SAMPLES; i++) {
      const at = stream.below(data.length);
      const before = data[at]!;
      data[at] = before + STEP;
      const high = total();
      data[at] = before - STEP;
      const low = total();
      data[at] = before;
      const slope = (high - low) / (2 * STEP);
      const error = Math.abs(got[n]![at]! - slope);
      ok(error <= 2e-4 * (1 + Math.abs(slope)), `${product.name}: d${name}[${at}] is ${got[n]![at]}, slope ${slope}`);
    }
  });
}

function convolution(c: ConvCase, name: string): Product {
  const attrs: ConvAttrs = { stride: c.stride, padding: c.padding, dilation: c.dilation, groups: c.groups };
  const [oh, ow] = outputSize(c);
  const [n, out] = [c.x[0]!, c.weight[0]!];
  return {
    name,
    inputs: {
      x: activation(c.x, "f32"),
      w: { shape: c.weight, dtype: "f32", layout: "hwio" },
      b: rowMajor([out], "f32"),
    },
    output: [n, out, oh, ow],
    build: ({ x, w, b }) => conv2d(x!, w!, b!, attrs),
    forward: ({ x, w, b }) => convForward(c, x!, w!).map((y, i) => y + b![Math.floor(i / (oh * ow)) % out]!),
  };
}

Deno.test("gradients of a convolution equal central differences for random shapes", async () => {
  const stream = new RandomStream(2026);
  const between = (low: number, high: number) => low + stream.below(high - low + 1);
  for (let i = 0; i < 14; i++) {
    const groups = [1, 1, 1, 2, 3][stream.below(5)]!;
    const kernel = [between(1, 4), between(1, 4)] as const;
    const dilation = [between(1, 2), between(1, 2)] as const;
    const padding = [between(0, 2), between(0, 2)] as const;
    const size = (d: 0 | 1) => dilation[d] * (kernel[d] - 1) + 1 + between(0, 7);
    const channels = groups * between(1, 5);
    const c: ConvCase = {
      x: [between(1, 3), channels, size(0), size(1)],
      weight: [groups * between(1, 5), channels / groups, kernel[0], kernel[1]],
      stride: [between(1, 3), between(1, 3)],
      padding,
      dilation,
      groups,
    };
    await checkSlopes(convolution(c, JSON.stringify(c)), i);
  }
  const wide: ConvCase = {
    x: [2, 32, 7, 9],
    weight: [32, 32, 3, 3],
    stride: [1, 1],
    padding: [1, 1],
    dilation: [1, 1],
    groups: 1,
  };
  await checkSlopes(convolution(wide, "wide"), 99);
  const depthwise: ConvCase = { ...wide, weight: [64, 1, 3, 3], groups: 32, stride: [2, 1] };
  await checkSlopes(convolution(depthwise, "depthwise, two for each channel"), 100);
});

Deno.test("gradients of a matrix product equal central differences for random shapes", async () => {
  const stream = new RandomStream(7);
  for (let i = 0; i < 8; i++) {
    const [m, n, k] = [1 + stream.below(19), 1 + stream.below(19), 1 + stream.below(37)];
    const [ta, tb] = [i % 2 === 1, i % 4 > 1];
    await checkSlopes({
      name: `matmul ${[m, n, k, ta, tb]}`,
      inputs: { a: rowMajor(ta ? [k, m] : [m, k], "f32"), b: rowMajor(tb ? [n, k] : [k, n], "f32") },
      output: [m, n],
      build: ({ a, b }) => matmul(a!, b!, { transposeA: ta, transposeB: tb }),
      forward: ({ a, b }) =>
        addProduct(
          [m, n, k],
          ta ? transposed(matrix(a!, m)) : matrix(a!, k),
          tb ? transposed(matrix(b!, k)) : matrix(b!, n),
        ),
    }, i);
    await checkSlopes({
      name: `linear ${[m, n, k]}`,
      inputs: {
        x: rowMajor([m, k], "f32"),
        w: { shape: [n, k], dtype: "f32", layout: "io" },
        b: rowMajor([n], "f32"),
      },
      output: [m, n],
      build: ({ x, w, b }) => linear(x!, w!, b!),
      forward: ({ x, w, b }) =>
        addProduct([m, n, k], matrix(x!, k), transposed(matrix(w!, k))).map((y, j) => y + b![j % n]!),
    }, 50 + i);
  }
});
