import assert from "node:assert/strict";
import { PRECISE_EXP, PRECISE_LOG } from "../../../ops/kernels/logarithm.ts";
import { defineKernel, LINEAR_INDEX, linearGrid } from "../../../runtime/device/kernel.ts";
import { Graph } from "../../../runtime/graph/graph.ts";
import { rowMajor } from "../../../runtime/graph/types.ts";
import { evaluate } from "../../support/evaluate.ts";
import { kernelOp } from "../../support/kernel_op.ts";

const COUNT = 4000;

async function computed(call: string, prelude: string, values: Float32Array): Promise<ArrayLike<number>> {
  const n = values.length;
  const graph = new Graph();
  const op = kernelOp([rowMajor([n], "f32")], (traits) =>
    defineKernel({
      name: "function",
      buffers: { x: { ref: { input: 0 }, type: "f32", access: "read" }, y: { ref: { output: 0 }, type: "f32" } },
      uniforms: { n },
      workgroupSize: [64],
      grid: linearGrid(n, 64, traits.maxWorkgroupsPerDimension),
      prelude,
      body: `  let i = ${LINEAR_INDEX(64)};
  if (i < u.n) { y[i] = ${call}(x[i]); }`,
    }));
  const [y] = graph.apply(op, null, [graph.leaf("input", "x", rowMajor([n], "f32"))]);
  return (await evaluate([y!], new Map([["x", values]])))[0]!;
}

/** Asserts that errors are at most 1.5 units in the last place, and at most a quarter on average. */
function assertPrecise(got: ArrayLike<number>, values: Float32Array, reference: (x: number) => number): void {
  let total = 0;
  for (let i = 0; i < values.length; i++) {
    const want = reference(values[i]!);
    const error = (got[i]! - want) / 2 ** (Math.floor(Math.log2(Math.abs(want))) - 23);
    assert.ok(Math.abs(error) <= 1.5, `${values[i]}: ${got[i]}, expected ${want}`);
    total += error;
  }
  assert.ok(Math.abs(total / values.length) <= 0.25, `average error ${total / values.length}`);
}

Deno.test("preciseExp is exp to a unit in the last place, without a bias", async () => {
  for (const [from, to] of [[-80, -20], [-20, 0], [0, 88]] as const) {
    const values = Float32Array.from({ length: COUNT }, (_, i) => from + (to - from) * (i + 0.5) / COUNT);
    assertPrecise(await computed("preciseExp", PRECISE_EXP, values), values, Math.exp);
  }
  const edges = Float32Array.of(0, -100, -Infinity, NaN);
  assert.deepEqual([...await computed("preciseExp", PRECISE_EXP, edges) as Float32Array], [1, 0, 0, NaN]);
});

Deno.test("preciseLog is log to a unit in the last place, without a bias", async () => {
  for (const [from, to] of [[0.01, 0.99], [1.01, 3], [3, 3e5]] as const) {
    const values = Float32Array.from({ length: COUNT }, (_, i) => from + (to - from) * (i + 0.5) / COUNT);
    assertPrecise(await computed("preciseLog", PRECISE_LOG, values), values, Math.log);
  }
  const edges = Float32Array.of(1, Infinity, NaN);
  assert.deepEqual([...await computed("preciseLog", PRECISE_LOG, edges) as Float32Array], [0, Infinity, NaN]);
});
