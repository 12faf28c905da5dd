import assert from "node:assert/strict";
import { attentionWeights, logSoftmax, softmax } from "../../ops/softmax.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { coordinates, placeOf } from "../support/broadcast_reference.ts";
import { evaluate } from "../support/evaluate.ts";
import { sampled } from "../support/full.ts";
import { checkOp, type Values } from "../support/op_case.ts";
import { refuses } from "../support/refuses.ts";

/** Returns the softmax over an axis of the elements for which `counts` is true, 0 for the others. */
function reference(
  x: Values,
  shape: Shape,
  axis: number,
  counts: (row: number, column: number) => boolean = () => true,
): Float64Array {
  const inside = (at: number[]) => counts(at.at(-2) ?? 0, at.at(-1)!);
  return Float64Array.from(x, (value, i) => {
    const at = coordinates(shape, i);
    let sum = 0;
    for (let n = 0; n < shape[axis]!; n++) {
      const other = at.with(axis, n);
      if (inside(other)) sum += Math.exp(x[placeOf(shape, other)]! - value);
    }
    return inside(at) ? 1 / sum : 0;
  });
}

const CASES: readonly (readonly [Shape, number])[] = [[[5, 8], 1], [[3, 7], 1], [[2, 5, 6], 1], [[3, 4, 2, 70], 3], [[
  3,
  88,
], 1]];

Deno.test("softmax and its gradient match the reference", async () => {
  for (const [shape, axis] of CASES) {
    await checkOp({
      name: `[${shape}] over ${axis}`,
      inputs: { x: { shape } },
      build: ({ x }) => softmax(x, axis),
      reference: ({ x }) => reference(x, shape, axis),
      tolerance: { f32: 1e-5, f16: 4e-3 },
    });
  }
});

Deno.test("logSoftmax and its gradient match the reference", async () => {
  for (const [shape, axis] of sampled(CASES.filter((_, i) => i !== 3), 2)) {
    await checkOp({
      name: `[${shape}] over ${axis}`,
      inputs: { x: { shape } },
      build: ({ x }) => logSoftmax(x, axis),
      reference: ({ x }) => reference(x, shape, axis).map(Math.log),
      tolerance: { f32: 1e-5, f16: 4e-3 },
    });
  }
});

Deno.test("weights of attention scale the scores and leave out later and distant keys", async () => {
  const cases: readonly (readonly [Shape, number])[] = [[[2, 6, 6], 0], [[2, 3, 8], 0], [[3, 9, 12], 4], [[5, 7], 2]];
  for (const [shape, window] of cases) {
    const [rows, columns] = shape.slice(-2) as [number, number];
    const counts = (row: number, column: number) => {
      const position = row + columns - rows;
      return column <= position && (window === 0 || column > position - window);
    };
    await checkOp({
      name: `[${shape}], window ${window}`,
      inputs: { x: { shape } },
      build: ({ x }) => attentionWeights(x, { scale: 0.7, causal: true, window }),
      reference: ({ x }) => reference(Float64Array.from(x, (value) => 0.7 * value), shape, shape.length - 1, counts),
      tolerance: { f32: 1e-5, f16: 4e-3 },
    });
  }
  await checkOp({
    name: "without a mask",
    inputs: { x: { shape: [5, 8] } },
    build: ({ x }) => attentionWeights(x, { scale: 0.25, causal: false }),
    reference: ({ x }) => reference(Float64Array.from(x, (value) => value / 4), [5, 8], 1),
    tolerance: { f32: 1e-5, f16: 4e-3 },
  });
});

Deno.test("softmax neither overflows nor counts infinite scores", async () => {
  const x = new Graph().leaf("input", "x", rowMajor([2, 4], "f32"));
  const leaves = new Map([["x", [1000, 1000, -Infinity, -1e30, -500, -500, -Infinity, -Infinity]]]);
  for (const deviceClass of ["cpu", "gpu"] as const) {
    const [got] = await evaluate([softmax(x)], leaves, { traits: { class: deviceClass } });
    assert.deepEqual([...got!], [0.5, 0.5, 0, 0, 0.5, 0.5, 0, 0]);
  }
});

Deno.test("a query without keys and an axis that does not exist are refused", () => {
  const x = new Graph().leaf("input", "x", rowMajor([5, 3], "f32"));
  refuses(() => attentionWeights(x, { scale: 1, causal: true }), /at least one column in each row/);
  refuses(() => softmax(x, 2), /softmax expects an axis from -2 to 1/);
  assert.equal(sizeOf(softmax(x).shape), 15);
});
