import assert from "node:assert/strict";
import { add } from "../../ops/add.ts";
import { avgPool2d } from "../../ops/avg_pool2d.ts";
import { globalAvgPool2d } from "../../ops/global_avg_pool2d.ts";
import type { PoolAttrs } from "../../ops/kernels/pool.ts";
import { maxPool2d } from "../../ops/max_pool2d.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import { DEFAULT_TRAITS } from "../../runtime/device/traits.ts";
import { differentiate } from "../../runtime/graph/autograd.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { activation } from "../../runtime/graph/types.ts";
import { evaluate } from "../support/evaluate.ts";
import { checkOp, distinct, everyCandidate, type Values } from "../support/op_case.ts";
import * as reference from "../support/reference/pool.ts";
import { Tape, Value } from "../support/reference/value.ts";
import { refuses } from "../support/refuses.ts";

const CASES: readonly (PoolAttrs & { readonly shape: Shape })[] = [
  { shape: [2, 3, 8, 8], kernel: [2, 2], stride: [2, 2], padding: [0, 0] },
  { shape: [1, 4, 7, 9], kernel: [3, 3], stride: [2, 2], padding: [1, 1] },
  { shape: [3, 5, 10, 8], kernel: [3, 3], stride: [2, 2], padding: [1, 1] },
  { shape: [3, 8, 5, 7], kernel: [3, 2], stride: [1, 2], padding: [1, 0] },
  { shape: [1, 1, 13, 5], kernel: [5, 3], stride: [1, 1], padding: [2, 1] },
  { shape: [2, 5, 6, 5], kernel: [2, 3], stride: [3, 4], padding: [1, 1] },
  { shape: [1, 12, 4, 3], kernel: [4, 3], stride: [4, 3], padding: [0, 0] },
  { shape: [1, 4, 1, 1], kernel: [3, 3], stride: [1, 1], padding: [1, 1] },
  { shape: [3, 6, 4, 8], kernel: [2, 2], stride: [2, 2], padding: [0, 0] },
  { shape: [1, 2, 6, 6], kernel: [3, 3], stride: [3, 3], padding: [0, 0] },
];

type Settings = Parameters<typeof reference.avgPool2d>[2];

const maxPool = (x: Values, shape: Shape, settings: Settings) =>
  reference.maxPool2d(new Tape(), Value.from(shape, x), settings).data;
const avgPool = (x: Values, shape: Shape, settings: Settings) =>
  reference.avgPool2d(new Tape(), Value.from(shape, x), settings).data;

const title = ({ shape, kernel, stride, padding }: (typeof CASES)[number]) =>
  `${shape} by ${kernel}, stride ${stride}, padding ${padding}`;

Deno.test("max_pool2d and its gradient match the reference", async () => {
  for (const pool of CASES) {
    await checkOp({
      name: title(pool),
      inputs: { x: { shape: pool.shape, values: distinct(sizeOf(pool.shape), 11) } },
      build: ({ x }) => maxPool2d(x, pool),
      reference: ({ x }) => maxPool(x, pool.shape, pool),
    });
  }
});

Deno.test("an invocation on GPUs computes a block of pixels if its code is short", () => {
  const first = (kernel: number, stride: number) => {
    const graph = new Graph();
    const x = graph.leaf("input", "x", activation([1, 4, 40, 40], "f32"));
    const y = maxPool2d(x, { kernel: [kernel, kernel], stride: [stride, stride] });
    const [dx] = differentiate(y, graph.leaf("input", "dy", y.type), [x], add) as [Tensor];
    const inputs = dx.node.inputs.map(({ type }) => type);
    const { attrs, outputs, op } = dx.node;
    return op.candidates({ attrs, inputs, outputs, traits: DEFAULT_TRAITS, randomKey: 0 })[0]!.name;
  };
  assert.match(first(3, 2), /^max_pool2d_grad\.blocks\./);
  assert.match(first(1, 2), /^max_pool2d_grad\.blocks\./);
  // 11 x 11 comparisons in each of 4 windows, or 144 pixels
  for (const [kernel, stride] of [[11, 6], [2, 12]] as const) {
    assert.match(first(kernel, stride), /^max_pool2d_grad\.f32/);
  }
});

Deno.test("max_pool2d ignores padding if all values are negative", async () => {
  const pool = CASES[1]!;
  await checkOp({
    name: "negative",
    inputs: { x: { shape: pool.shape, values: distinct(sizeOf(pool.shape), 11).map((x) => x - 20) } },
    build: ({ x }) => maxPool2d(x, pool),
    reference: ({ x }) => maxPool(x, pool.shape, pool),
  });
});

Deno.test("max_pool2d passes the gradient of equal values to the first in row-major order", async () => {
  const shape = [1, 4, 3, 3];
  const graph = new Graph();
  const x = graph.leaf("input", "x", activation(shape, "f32"));
  const y = maxPool2d(x, { kernel: [2, 2], stride: [1, 1] });
  const dy = graph.leaf("input", "dy", y.type);
  const [dx] = differentiate(y, dy, [x], add) as [Tensor];
  const channel = [1, 1, 0, 1, 1, 1, 0, 1, 1];
  // Windows at (0, 0), (0, 1), (1, 0), (1, 1), whose first elements are 0, 1, 3, 4
  const expected = [1, 2, 0, 3, 4, 0, 0, 0, 0];
  const leaves = new Map([
    ["x", [...channel, ...channel, ...channel, ...channel]],
    ["dy", [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4]],
  ]);
  await everyCandidate(async (options, where) => {
    const [got] = await evaluate([dx], leaves, options);
    assert.deepEqual([...got!], [...expected, ...expected, ...expected, ...expected], where);
  });
});

Deno.test("avg_pool2d and its gradient match the reference", async () => {
  for (const pool of CASES) {
    for (const countIncludePad of [true, false]) {
      await checkOp({
        name: `${title(pool)}, countIncludePad ${countIncludePad}`,
        inputs: { x: { shape: pool.shape } },
        build: ({ x }) => avgPool2d(x, { ...pool, countIncludePad }),
        reference: ({ x }) => avgPool(x, pool.shape, { ...pool, countIncludePad }),
      });
    }
  }
});

Deno.test("global_avg_pool2d and its gradient match the reference", async () => {
  for (const shape of [[2, 3, 5, 7], [1, 64, 8, 8], [3, 1, 1, 1], [5, 12, 13, 1]]) {
    await checkOp({
      name: `${shape}`,
      inputs: { x: { shape } },
      build: ({ x }) => globalAvgPool2d(x),
      reference: ({ x }) => reference.globalAvgPool2d(new Tape(), Value.from(shape, x)).data,
    });
  }
});

Deno.test("pooling rejects wrong inputs and windows", () => {
  const graph = new Graph();
  const x = graph.leaf("input", "x", activation([2, 3, 4, 4], "f32"));
  const flat = graph.leaf("input", "flat", activation([2, 3], "f32"));
  refuses(() => maxPool2d(x, { kernel: [5, 5] }), /cannot place a window of \[5, 5\] in images of \[4, 4\]/);
  refuses(() => maxPool2d(x, { kernel: [2, 2], padding: [2, 0] }), /padding of at most half the kernel/);
  refuses(() => avgPool2d(x, { kernel: [0, 2] }), /kernel and stride of at least 1/);
  refuses(() => avgPool2d(flat, { kernel: [2, 2] }), /expects images \[n, c, h, w\], got f32\[2, 3\]/);
  refuses(() => globalAvgPool2d(flat), /expects images/);
});

Deno.test("pooling defaults to a stride of the kernel's size and no padding", () => {
  const x = new Graph().leaf("input", "x", activation([2, 3, 9, 8], "f32"));
  assert.deepEqual(maxPool2d(x, { kernel: [3, 2] }).shape, [2, 3, 3, 4]);
  assert.deepEqual(avgPool2d(x, { kernel: [3, 2] }).shape, [2, 3, 3, 4]);
});
