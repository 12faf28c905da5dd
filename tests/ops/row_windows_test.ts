/** Norms and softmax of rows of which each dispatch reads a window as a uniform. */
import assert from "node:assert/strict";
import { layerNorm, rmsNorm } from "../../ops/row_norm.ts";
import { softmax } from "../../ops/softmax.ts";
import type { FloatType } from "../../runtime/core/dtype.ts";
import { DEFAULT_TRAITS, type DeviceTraits } from "../../runtime/device/traits.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { candidatesOf } from "../support/evaluate.ts";
import { checkOp, type Values } from "../support/op_case.ts";

const SIMD: DeviceTraits = { ...DEFAULT_TRAITS, class: "cpu", subgroupSize: 8 };
const EPSILON = 1e-3;

/** Applies `each` to every row. */
function byRow(x: Values, width: number, each: (row: number[]) => number[]): Float64Array {
  const y = new Float64Array(x.length);
  for (let first = 0; first < x.length; first += width) {
    y.set(each(Array.from({ length: width }, (_, i) => x[first + i]!)), first);
  }
  return y;
}

function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}

/** Rows of the second shape end with a part of a chunk, and means begin inside of their windows, as in f32 in the third. */
for (const shape of [[256, 256], [192, 264], [128, 512]] as const) {
  const width = shape[1];
  const accuracy = { samples: 8, tolerance: { f32: 2e-5, f16: 6e-3 }, floor: 1 } as const;
  const scaled = (row: readonly number[], center: number, weight: Values, bias: (i: number) => number) => {
    const deviation = Math.sqrt(mean(row.map((value) => (value - center) ** 2)) + EPSILON);
    return row.map((value, i) => (value - center) / deviation * weight[i]! + bias(i));
  };

  Deno.test(`layerNorm of [${shape}] and its gradients match the reference`, async () => {
    await checkOp({
      name: "layerNorm",
      inputs: { x: { shape }, weight: { shape: [width] }, bias: { shape: [width] } },
      build: ({ x, weight, bias }) => layerNorm(x, weight, bias, { epsilon: EPSILON }),
      reference: ({ x, weight, bias }) => byRow(x, width, (row) => scaled(row, mean(row), weight, (i) => bias[i]!)),
      ...accuracy,
    });
  });

  Deno.test(`rmsNorm of [${shape}] and its gradients match the reference`, async () => {
    await checkOp({
      name: "rmsNorm",
      inputs: { x: { shape }, weight: { shape: [width] } },
      build: ({ x, weight }) => rmsNorm(x, weight, { epsilon: EPSILON }),
      reference: ({ x, weight }) => byRow(x, width, (row) => scaled(row, 0, weight, () => 0)),
      ...accuracy,
    });
  });

  Deno.test(`softmax of [${shape}] and its gradient match the reference`, async () => {
    await checkOp({
      name: "softmax",
      inputs: { x: { shape } },
      build: ({ x }) => softmax(x, 1),
      reference: ({ x }) =>
        byRow(x, width, (row) => {
          const exponentials = row.map(Math.exp);
          const total = exponentials.reduce((a, b) => a + b, 0);
          return exponentials.map((value) => value / total);
        }),
      ...accuracy,
    });
  });
}

Deno.test("rows that divide into windows are read as uniforms, others are not", () => {
  const dispatches = (dtype: FloatType, n: number, width: number) => {
    const x = new Graph().leaf("input", "x", rowMajor([n, width], dtype));
    return [layerNorm(x, null, null), softmax(x, 1)].map((tensor) =>
      candidatesOf(tensor, SIMD)[0]!.kernels.map(({ slices }) => slices?.length ?? 0)
    );
  };
  assert.deepEqual(dispatches("f32", 256, 256), [[4], [4]]);
  assert.deepEqual(dispatches("f16", 256, 256), [[2], [2]]);
  // Windows of means begin at multiples of 64 rows: those of 48 rows begin 0, 48, 32 and 16 rows before the slices' rows
  assert.deepEqual(dispatches("f32", 192, 264), [[1, 1, 1, 1], [4]]);
  assert.deepEqual(dispatches("f16", 192, 264), [[1, 1], [2]]);
  assert.deepEqual(dispatches("f32", 128, 512), [[2, 2], [4]]);
  assert.deepEqual(dispatches("f32", 64, 256), [[0], [0]]); // a single window
  assert.deepEqual(dispatches("f32", 257, 256), [[0], [0]]); // a prime number of rows
});
