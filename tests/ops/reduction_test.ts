import assert from "node:assert/strict";
import { argmax, logSumExp, max, min } from "../../ops/extremes.ts";
import type { ReductionOptions } from "../../ops/reduction.ts";
import { mean, sum } from "../../ops/sum.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { reduced } from "../support/broadcast_reference.ts";
import { evaluate } from "../support/evaluate.ts";
import { sampled } from "../support/full.ts";
import { checkOp, distinct, everyCandidate, normals, rounded } from "../support/op_case.ts";
import { refuses } from "../support/refuses.ts";

type Reduction = (x: Tensor, options?: ReductionOptions) => Tensor;

const add = (elements: readonly number[]) => elements.reduce((a, b) => a + b, 0);
const largest = (elements: readonly number[]) => Math.max(...elements);

const REDUCTIONS: Readonly<Record<string, { apply: Reduction; fold: (elements: number[]) => number }>> = {
  sum: { apply: sum, fold: add },
  mean: { apply: mean, fold: (elements) => add(elements) / elements.length },
  max: { apply: max, fold: largest },
  min: { apply: min, fold: (elements) => Math.min(...elements) },
  logSumExp: {
    apply: logSumExp,
    fold: (elements) => largest(elements) + Math.log(add(elements.map((x) => Math.exp(x - largest(elements))))),
  },
};

/** Reductions along rows, down columns, over outer and inner dimensions, and of odd sizes. */
const CASES: readonly (readonly [Shape, readonly number[]])[] = [
  [[3, 5, 8], [2]],
  [[3, 5, 8], [0, 1]],
  [[5, 7], [1]],
  [[4, 35], [1]],
  [[300, 19], [0]],
  [[6, 256], [0]],
];
/** A row that is split into parts, which each reduction merges. */
const SPLIT: readonly [Shape, readonly number[]] = [[2, 1037], [1]];

/** Further shapes for one op, among them images, and sums that are shared by a workgroup. */
const MORE_CASES: readonly (readonly [Shape, readonly number[]])[] = [
  [[5, 7], [0, 1]],
  [[3, 2, 4], [1]],
  [[3, 2, 4], [0, 2]],
  [[4, 3, 4, 5], [0, 2]],
  [[3, 260], [1]],
  [[5, 33], [1]],
  [[3, 5, 7], [0, 1, 2]],
  [[700, 8], [0]],
  [[257, 18], [0]],
  [[3, 70, 64], [1]],
  [[2, 40, 24], [1]],
  [[1001], [0]],
  [[2, 3, 4, 5], [2, 3]],
  [[2, 3, 4, 5], [0]],
];

for (const [name, { apply, fold }] of Object.entries(REDUCTIONS)) {
  Deno.test(`${name} over axes and its gradient match the reference`, async () => {
    const cases = name === "sum" ? sampled([...CASES, SPLIT, ...MORE_CASES], 12) : sampled([...CASES, SPLIT], 3);
    for (const [shape, axes] of cases) {
      for (const keepDims of shape.length === 4 ? [false, true] : [axes.length > 1]) {
        await checkOp({
          name: `${name} of [${shape}] over [${axes}]${keepDims ? ", dimensions kept" : ""}`,
          inputs: {
            x: { shape, values: distinct(sizeOf(shape), 5).map((x) => 0.25 + 2 * x / Math.sqrt(sizeOf(shape))) },
          },
          build: ({ x }) => apply(x, { axes, keepDims }),
          reference: ({ x }) => reduced(x, shape, axes, fold),
          tolerance: { f32: 1e-5, f16: 4e-3 },
          step: 1e-6,
          samples: 16,
          floor: 1,
        });
      }
    }
  });
}

Deno.test("equal extremes share the gradient", async () => {
  await checkOp({
    name: "max of pairs",
    inputs: { x: { shape: [3, 4], values: [1, 2, 2, 0, 5, 5, 5, 5, -1, -2, -3, -1], gradient: true } },
    build: ({ x }) => max(x, { axes: 1 }),
    // A central difference of the maximum of n equal elements is 1 / 2, not 1 / n, so only the output is compared
    reference: ({ x }) => reduced(x, [3, 4], [1], largest),
    gradients: false,
  });
  const graph = new Graph();
  const x = graph.leaf("input", "x", rowMajor([2, 4], "f32"));
  const dy = graph.leaf("input", "dy", rowMajor([2], "f32"));
  const y = max(x, { axes: 1 });
  const [dx] = y.node.op.gradient!(y.node, [dy], [true]);
  const leaves = new Map([["x", [1, 2, 2, 0, 5, 5, 5, 5]], ["dy", [6, 8]]]);
  const [got] = await evaluate([dx!], leaves);
  assert.deepEqual([...got!], [0, 3, 3, 0, 2, 2, 2, 2]);
});

Deno.test("argmax is the first place of the largest element, in row-major order", async () => {
  const places: readonly (readonly [Shape, number[] | undefined])[] = [
    [[5, 8], [1]],
    [[5, 7], undefined],
    [[8, 6], [0]],
    [[3, 1030], [1]],
    [[4, 18], [1]],
    [[3, 1028], [1]],
    [[2, 3, 2, 5], [1, 3]],
  ];
  for (const [shape, axes] of places) {
    const values = normals(sizeOf(shape), 8).map((x) => Math.round(2 * x));
    const { dtype } = argmax(new Graph().leaf("input", "x", rowMajor(shape, "f32")), axes && { axes });
    assert.equal(dtype, "i32");
    await checkOp({
      name: `argmax of [${shape}] over [${axes}]`,
      inputs: { x: { shape, values, gradient: false } },
      build: ({ x }) => argmax(x, axes === undefined ? {} : { axes }),
      reference: ({ x }) =>
        reduced(x, shape, axes ?? shape.map((_, d) => d), (elements) => elements.indexOf(largest(elements))),
      tolerance: { f32: 0, f16: 0 },
    });
  }
});

Deno.test("sums have the same bits in every run, and extremes of infinities are infinite", async () => {
  const n = 40_000;
  const x = new Graph().leaf("input", "x", rowMajor([n], "f32"));
  const values = rounded(normals(n, 3), "f32");
  const leaves = new Map([["x", values]]);
  await everyCandidate(async (options, where) => {
    const [first] = await evaluate([sum(x)], leaves, options);
    const [second] = await evaluate([sum(x)], leaves, options);
    assert.deepEqual(first, second, where);
    const want = values.reduce((a, b) => a + b, 0);
    assert.ok(Math.abs(first![0]! - want) < 1e-3, `${where}: ${first![0]}, expected ${want}`);
  });
  const y = new Graph().leaf("input", "y", rowMajor([2, 2], "f32"));
  const [got] = await evaluate([logSumExp(y, { axes: 1 })], new Map([["y", [-Infinity, 0, -Infinity, -Infinity]]]));
  assert.deepEqual([...got!], [0, -Infinity]);
});

Deno.test("axes that do not exist or repeat are refused", () => {
  const x = new Graph().leaf("input", "x", rowMajor([2, 3], "f32"));
  assert.deepEqual(sum(x, { axes: -1 }).shape, [2]);
  assert.deepEqual(sum(x, { axes: [-1, 0], keepDims: true }).shape, [1, 1]);
  refuses(() => sum(x, { axes: 2 }), /sum expects an axis from -2 to 1 for shape \[2, 3\], got 2/);
  refuses(() => mean(x, { axes: [0, -2] }), /mean expects each axis once, got \[0, -2\]/);
  refuses(() => max(new Graph().leaf("input", "i", rowMajor([3], "i32"))), /max expects its input to be f32 or f16/);
});
