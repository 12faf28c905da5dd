/**
 * Kernels for software adapters on tensors whose loops would exceed 65,535 iterations of an invocation, after which lavapipe
 * ends them without an error (docs/platform.md).
 */
import assert from "node:assert/strict";
import { adaptiveAvgPool2d } from "../../ops/adaptive_avg_pool2d.ts";
import { type AttentionAttrs, tiledAttention } from "../../ops/attention.ts";
import { avgPool2d } from "../../ops/avg_pool2d.ts";
import { conv2d, conv2dInputGrad, conv2dWeightGrad } from "../../ops/conv2d.ts";
import { crossEntropy, crossEntropyRows } from "../../ops/cross_entropy.ts";
import { cumsum } from "../../ops/cumsum.ts";
import { logSumExp } from "../../ops/extremes.ts";
import { take } from "../../ops/gather.ts";
import { globalAvgPool2d } from "../../ops/global_avg_pool2d.ts";
import { isCorrect } from "../../ops/is_correct.ts";
import type { PoolOptions } from "../../ops/kernels/pool.ts";
import { matmul } from "../../ops/matmul.ts";
import { maxPool2d } from "../../ops/max_pool2d.ts";
import { layerNorm } from "../../ops/row_norm.ts";
import { logSoftmax, softmax } from "../../ops/softmax.ts";
import { sum } from "../../ops/sum.ts";
import type { DType } from "../../runtime/core/dtype.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import { DEFAULT_TRAITS } from "../../runtime/device/traits.ts";
import { differentiate } from "../../runtime/graph/autograd.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { activation, rowMajor } from "../../runtime/graph/types.ts";
import { meanSquaredErrorOp } from "../../runtime/nn/losses/mean_squared_error.ts";
import { candidatesOf, evaluate } from "../support/evaluate.ts";
import { full, fullTest } from "../support/full.ts";
import { rejects } from "../support/refuses.ts";

/** A leaf: its shape, its values by index, and its type. */
type Leaf = readonly [shape: readonly number[], value: (i: number) => number, dtype?: DType];

/**
 * Computes outputs of leaves by every candidate for software adapters, in the fast set by the default. `w` are the weights
 * of a convolution.
 */
async function compute(
  leaves: Readonly<Record<string, Leaf>>,
  build: (tensors: Readonly<Record<string, Tensor>>) => Tensor,
): Promise<Float64Array[]> {
  const values = new Map(
    Object.entries(leaves).map(([name, [shape, value]]) =>
      [name, Float64Array.from({ length: sizeOf(shape) }, (_, i) => value(i))] as const
    ),
  );
  const results: Float64Array[] = [];
  for (let candidates = 1, choice = 0; choice < (full ? candidates : 1); choice++) {
    const graph = new Graph();
    const tensors = Object.fromEntries(
      Object.entries(leaves).map(([name, [shape, , dtype = "f32"]]) => [
        name,
        graph.leaf(
          "input",
          name,
          name === "w"
            ? { shape, dtype, layout: "hwio" }
            : shape.length === 4 && ["x", "dy"].includes(name)
            ? activation(shape, dtype, "nhwc")
            : rowMajor(shape, dtype),
        ),
      ]),
    );
    const pick = (_: unknown, plans: readonly unknown[]) => {
      candidates = Math.max(candidates, plans.length);
      return Math.min(choice, plans.length - 1);
    };
    results.push((await evaluate([build(tensors)], values, { traits: { class: "cpu" }, pick }))[0]!);
  }
  return results;
}

function assertAll(results: readonly Float64Array[], want: number, what: string): void {
  for (const values of results) {
    const wrong = values.find((value) => !(Math.abs(value - want) <= 1e-3 * Math.abs(want)));
    assert.equal(wrong, undefined, `${what}: ${wrong}, expected ${want}`);
  }
}

const one = () => 1;
const zero = () => 0;

Deno.test("losses and hits of large vocabularies count every class", async () => {
  for (const [rows, classes] of full ? [[3, 50_257], [2, 131_072], [4096, 2100]] as const : [[2, 131_072]] as const) {
    const leaves: Record<string, Leaf> = {
      x: [[rows, classes], (i) => i % classes === 0 ? 0.5 : 0],
      target: [[rows], (i) => i % 2 === 0 ? 0 : classes - 1, "i32"],
    };
    const want = Math.log(Math.exp(0.5) + classes - 1);
    const hits = Math.ceil(rows / 2) / rows;
    const what = `${rows} x ${classes}`;
    assertAll(await compute(leaves, ({ x, target }) => crossEntropy(x!, target!)), want - 0.5 * hits, what);
    for (const loss of await compute(leaves, ({ x, target }) => crossEntropyRows(x!, target!)[0])) {
      assertAll([loss.filter((_, i) => i % 2 === 1)], want, `rows of ${what}`);
    }
    for (const [correct] of [await compute(leaves, ({ x, target }) => isCorrect(x!, target!)[0])]) {
      assert.deepEqual([...correct!], Array.from({ length: rows }, (_, i) => 1 - i % 2), what);
    }
  }
});

Deno.test("softmax, norms and losses of long rows read all of them", async () => {
  for (const width of full ? [150_001, 300_000] : [150_001]) {
    const x: Leaf = [[2, width], zero];
    assertAll(await compute({ x }, ({ x }) => softmax(x!)), 1 / width, `softmax of ${width}`);
    assertAll(await compute({ x }, ({ x }) => logSoftmax(x!)), -Math.log(width), `logSoftmax of ${width}`);
    assertAll(await compute({ x }, ({ x }) => logSumExp(x!, { axes: 1 })), Math.log(width), `logSumExp of ${width}`);
    const even: Leaf = [[2, 2 * width], (i) => i % 2];
    for (const y of await compute({ even }, ({ even }) => layerNorm(even!, null, null))) {
      assertAll([y.map(Math.abs)], 1, `layerNorm of ${2 * width}`);
    }
    const pair: Record<string, Leaf> = { a: [[2, 4 * width], one], b: [[2, 4 * width], zero] };
    const errors = ({ a, b }: Readonly<Record<string, Tensor>>) =>
      a!.graph.apply(meanSquaredErrorOp.rowsOp, {}, [a!, b!])[0]!;
    assertAll(await compute(pair, errors), 1, `squared errors of ${4 * width}`);
  }
});

Deno.test("sums over many rows, pixels and products count all of them", async () => {
  const n = 150_000;
  assertAll(await compute({ x: [[n, 3], one] }, ({ x }) => sum(x!, { axes: 0 })), n, "columns");
  assertAll(await compute({ x: [[3, n], one] }, ({ x }) => sum(x!, { axes: 1 })), n, "rows");
  const factors: Record<string, Leaf> = { a: [[4, n], one], b: [[n, 8], one] };
  assertAll(await compute(factors, ({ a, b }) => matmul(a!, b!)), n, "products");
  const images: Record<string, Leaf> = { x: [[1, 4, 301, 299], one] };
  const window = { kernel: [301, 299], stride: [1, 1], padding: [0, 0] } as const;
  assertAll(await compute(images, ({ x }) => globalAvgPool2d(x!)), 1, "pixels");
  assertAll(await compute(images, ({ x }) => avgPool2d(x!, window)), 1, "a window");
  assertAll(await compute(images, ({ x }) => adaptiveAvgPool2d(x!, [1, 1])), 1, "adaptive windows");
  const last: Record<string, Leaf> = { x: [[1, 4, 301, 299], (i) => (i + 1) % (301 * 299) === 0 ? 1 : 0] };
  assertAll(await compute(last, ({ x }) => maxPool2d(x!, window)), 1, "the maximum, which is the last pixel");
  const tall: Record<string, Leaf> = { x: [[1, 4, 19_000, 2], one] };
  assertAll(await compute(tall, ({ x }) => avgPool2d(x!, { kernel: [19_000, 2] })), 1, "a tall window");
  for (const axis of [0, 1]) {
    const x: Leaf = [axis === 0 ? [n, 2] : [2, n], one];
    for (const y of await compute({ x }, ({ x }) => cumsum(x!, axis))) assert.equal(y.at(-1), n, `axis ${axis}`);
  }
  const rows = 1_200_000;
  for (const [places, uses] of [[1, n], [1000, rows]] as const) {
    const leaves: Record<string, Leaf> = {
      table: [[places, 4], zero],
      at: [[uses], (i) => i % places, "i32"],
      dy: [[uses, 4], one],
    };
    const gradient = ({ table, at, dy }: Readonly<Record<string, Tensor>>) =>
      differentiate(take(table!, at!), dy!, [table!], () => assert.fail("nothing to accumulate"))[0]!;
    assertAll(await compute(leaves, gradient), uses / places, `${uses} rows in ${places} places`);
  }
});

fullTest("convolutions sum all pixels and channels", async () => {
  const attrs = { stride: [1, 1], padding: [0, 0], dilation: [1, 1], groups: 1 } as const;
  const pixels: Record<string, Leaf> = {
    x: [[1, 4, 1024, 1024], one],
    w: [[4, 4, 1, 1], one],
    dy: [[1, 4, 1024, 1024], one],
  };
  const gradient = ({ x, w, dy }: Readonly<Record<string, Tensor>>) => {
    const y = conv2d(x!, w!, null, attrs);
    return differentiate(y, dy!, [w!], () => assert.fail("nothing to accumulate"))[0]!;
  };
  assertAll(await compute(pixels, gradient), 1024 * 1024, "pixels");
  const channels: Record<string, Leaf> = { x: [[1, 8192, 3, 3], one], w: [[4, 8192, 3, 3], one] };
  assertAll(await compute(channels, ({ x, w }) => conv2d(x!, w!, null, attrs)), 9 * 8192, "channels");
  const deep: Record<string, Leaf> = { x: [[1, 32_768, 3, 3], one], w: [[4, 32_768, 3, 3], one] };
  await rejects(
    () => compute(deep, ({ x, w }) => conv2d(x!, w!, null, attrs)),
    /A convolution of 32768 channels with a kernel of \[3, 3\]/,
  );
});

Deno.test("products of any length and gradients over many images are planned for software adapters with subgroups", () => {
  const isPlanned = (tensor: Tensor, what: string) => {
    const [plan] = candidatesOf(tensor, { ...DEFAULT_TRAITS, class: "cpu", subgroupSize: 8 });
    assert.ok(plan!.kernels.length > 0, what);
  };
  const factors = [
    [[4, 4_000_000], [4_000_000, 8]],
    [[128, 250_000], [250_000, 128]],
    [[1, 16_000_000], [16_000_000, 1]],
    [[8, 4, 60_000], [8, 60_000, 4]],
  ];
  for (const shapes of factors) {
    const graph = new Graph();
    const [a, b] = shapes.map((shape, i) => graph.leaf("input", `x${i}`, rowMajor(shape, "f32")));
    isPlanned(matmul(a!, b!), JSON.stringify(shapes));
  }
  const images = [
    { shape: [16_384, 16, 11, 11], kernel: [3, 3], stride: [1, 1], groups: 1 },
    { shape: [16_384, 3, 24, 24], kernel: [3, 3], stride: [1, 1], groups: 1 },
    { shape: [15_277, 1, 8, 270], kernel: [2, 1], stride: [2, 1], groups: 1 }, // no divisor of the lines fits the limit
    { shape: [131_072, 64, 2, 2], kernel: [3, 3], stride: [1, 1], groups: 1 },
    { shape: [2, 4, 2048, 2048], kernel: [3, 3], stride: [1, 1], groups: 1 },
    { shape: [8192, 32, 11, 11], kernel: [3, 3], stride: [1, 1], groups: 32 },
  ] as const;
  for (const { shape, kernel, stride, groups } of images) {
    const [, channels] = shape;
    const graph = new Graph("train");
    const attrs = { stride, padding: [1, 1], dilation: [1, 1], groups } as const;
    const x = graph.leaf("input", "x", activation(shape, "f32", "nhwc"));
    const weight = graph.leaf("parameter", "weight", {
      ...{ shape: [channels, channels / groups, ...kernel], dtype: "f32", layout: "hwio" } as const,
    });
    const y = conv2d(x, weight, null, attrs);
    const dy = graph.leaf("input", "dy", y.type);
    isPlanned(y, `[${shape}]`);
    isPlanned(conv2dInputGrad(dy, weight, { ...attrs, inputShape: x.shape }), `input gradient of [${shape}]`);
    isPlanned(conv2dWeightGrad(x, dy, { ...attrs, weight: weight.type }), `weight gradient of [${shape}]`);
  }
});

Deno.test("attention reads all keys, and refuses sequences that are too long", async () => {
  const attrs: AttentionAttrs = {
    ...{ heads: 1, kvHeads: 1, order: "heads", scale: 1, causal: false, window: 0, dropout: 0, key: 0 },
  };
  const attend = (keys: number) =>
    compute({
      query: [[1, 1, 2, 64], zero],
      key: [[1, 1, keys, 64], zero],
      value: [[1, 1, keys, 64], (i) => i < 64 * (keys - 1) ? 0 : keys],
    }, ({ query, key, value }) => tiledAttention([query!, key!, value!], attrs));
  assertAll(await attend(13_000), 1, "attention");
  await rejects(() => attend(20_000), /Tiled attention between 2 queries and 20000 keys takes too many/);
});

Deno.test("a line that is too long for any loop is refused", async () => {
  await rejects(
    () => compute({ x: [[1_000_000], zero] }, ({ x }) => cumsum(x!, 0)),
    /: A row of 1000000 numbers is too long for a software adapter, /,
  );
});

fullTest("sums by index add all rows to one place, in several dispatches if need be", async () => {
  const rows = 1_930_000;
  const types = [[4, "f32", one], [8, "f16", (i: number) => i % 1000 < 8 ? 1 : 0]] as const;
  for (const [width, dtype, values] of full ? types : types.slice(0, 1)) {
    const leaves: Record<string, Leaf> = {
      table: [[2, width], zero, dtype],
      at: [[rows], one, "i32"],
      dy: [[rows, width], values, dtype],
    };
    const results = await compute(
      leaves,
      ({ table, at, dy }) =>
        differentiate(take(table!, at!), dy!, [table!], () => assert.fail("nothing to accumulate"))[0]!,
    );
    for (const sums of results) {
      assert.deepEqual([...sums.slice(0, width)], Array(width).fill(0), dtype);
      assertAll([sums.slice(width)], dtype === "f32" ? rows : rows * 8 / 1000, `${dtype}, one place`);
    }
  }
});

Deno.test("windows that are too large for loops are refused, and gradients of them", async () => {
  const gradient = (pool: (x: Tensor, options: PoolOptions) => Tensor, options: PoolOptions) =>
    compute({ x: [[1, 4, 301, 299], one], dy: [[1, 4, 1, 1], one] }, ({ x, dy }) => {
      const y = pool(x!, options);
      return differentiate(y, y.shape[2] === 1 ? dy! : y, [x!], () => assert.fail("nothing to accumulate"))[0]!;
    });
  await rejects(
    () => compute({ x: [[1, 4, 21_000, 2], one] }, ({ x }) => maxPool2d(x!, { kernel: [21_000, 2] })),
    /A window of 21000 x 2 pixels is too large for a software adapter/,
  );
  await rejects(
    () => gradient(maxPool2d, { kernel: [301, 299] }),
    /The gradient of max_pool2d with windows of 301 x 299 takes 90605 iterations for a pixel, too many/,
  );
  await rejects(
    () => gradient(maxPool2d, { kernel: [20, 20], stride: [1, 1] }),
    /The gradient of max_pool2d with windows of 20 x 20 takes 176840 iterations/,
  );
  await rejects(
    () => gradient(avgPool2d, { kernel: [280, 280], stride: [1, 1], padding: [140, 140] }),
    /The gradient of avg_pool2d with windows of 280 x 280 takes 78960 iterations/,
  );
});
