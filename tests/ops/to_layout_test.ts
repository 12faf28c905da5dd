import assert from "node:assert/strict";
import { add } from "../../ops/add.ts";
import { matmul } from "../../ops/matmul.ts";
import { maxPool2d } from "../../ops/max_pool2d.ts";
import { relu } from "../../ops/relu.ts";
import { reshape } from "../../ops/reshape.ts";
import { asImages, toLayout } from "../../ops/to_layout.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { activation, rowMajor } from "../../runtime/graph/types.ts";
import { checkOp } from "../support/op_case.ts";
import { evaluate } from "../support/evaluate.ts";

Deno.test("to_layout and its gradient keep the logical values", async () => {
  for (const shape of [[2, 3, 5, 7], [3, 16, 5, 5], [2, 1, 3, 5], [5, 33, 1, 1]]) {
    await checkOp({
      name: `${shape}`,
      inputs: { x: { shape } },
      build: ({ x }) => toLayout(x, "row"),
      reference: ({ x }) => x,
    });
  }
});

Deno.test("to_layout converts both ways and returns the tensor itself if the layout is the same", async () => {
  const graph = new Graph();
  const x = graph.leaf("input", "x", rowMajor([2, 3, 2, 2], "f32"));
  const y = toLayout(x, "nhwc");
  assert.deepEqual(y.type, activation([2, 3, 2, 2], "f32"));
  assert.equal(toLayout(y, "nhwc"), y);
  const values = Float64Array.from({ length: 24 }, (_, i) => i);
  assert.deepEqual([...(await evaluate([y], new Map([["x", values]])))[0]!], [...values]);
});

Deno.test("a tensor [batch, heads, time, depth] stays row-major until an op for images reads it", () => {
  for (const images of ["nhwc", "nchw"] as const) {
    const graph = new Graph("train", images);
    const x = graph.leaf("input", "x", rowMajor([2, 12, 5], "f32"));
    const heads = reshape(x, [2, 3, 4, 5]);
    assert.equal(heads.type.layout, "row");
    assert.equal(heads.node.op.isView!([x.type], heads.node.attrs), true);
    assert.equal(relu(heads).type.layout, "row");
    assert.equal(matmul(heads, heads, { transposeB: true }).type.layout, "row");
    assert.equal(asImages(x), x);
    const [pooled, sum] = [maxPool2d(heads, { kernel: [2, 2] }), add(heads, asImages(heads))];
    for (const { type } of [pooled, sum]) assert.equal(type.layout, images);
  }
});
