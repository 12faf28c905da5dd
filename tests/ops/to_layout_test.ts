import assert from "node:assert/strict";
import { toLayout } from "../../ops/to_layout.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { activation, rowMajor } from "../../runtime/graph/types.ts";
import { checkOp } from "../support/op_case.ts";
import { evaluate } from "../support/evaluate.ts";

Deno.test("another order in memory is the same tensor, and so is its gradient", async () => {
  for (const shape of [[2, 3, 5, 7], [3, 16, 5, 5], [2, 1, 3, 5], [5, 33, 1, 1]]) {
    await checkOp({
      name: `${shape}`,
      inputs: { x: { shape } },
      build: ({ x }) => toLayout(x, "row"),
      reference: ({ x }) => x,
    });
  }
});

Deno.test("it goes both ways, and nowhere where nothing changes", async () => {
  const graph = new Graph();
  const x = graph.leaf("input", "x", rowMajor([2, 3, 2, 2], "f32"));
  const y = toLayout(x, "nhwc");
  assert.deepEqual(y.type, activation([2, 3, 2, 2], "f32"));
  assert.equal(toLayout(y, "nhwc"), y);
  const values = Float64Array.from({ length: 24 }, (_, i) => i);
  assert.deepEqual([...(await evaluate([y], new Map([["x", values]])))[0]!], [...values]);
});
