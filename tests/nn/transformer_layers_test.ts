/** Norms over features, embeddings and positions. */
import assert from "node:assert/strict";
import { embedding, layerNorm, learnedPositions, rmsNorm } from "../../mod.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { checkLayer } from "../support/layer_case.ts";
import type { Values } from "../support/op_case.ts";
import { refuses } from "../support/refuses.ts";

function normalized(x: Values, width: number, centered: boolean, epsilon: number): Float64Array {
  return Float64Array.from(x, (value, i) => {
    const row = Array.from({ length: width }, (_, k) => x[i - i % width + k]!);
    const mean = centered ? row.reduce((a, b) => a + b, 0) / width : 0;
    const variance = row.reduce((sum, other) => sum + (other - mean) ** 2, 0) / width;
    return (value - mean) / Math.sqrt(variance + epsilon);
  });
}

Deno.test("layerNorm and rmsNorm have PyTorch's defaults and parameters", async () => {
  const layer = await checkLayer({
    name: "layerNorm",
    layer: layerNorm(),
    shape: [2, 3, 8],
    reference: ({ x, "layer_norm.weight": weight, "layer_norm.bias": bias }) =>
      normalized(x!, 8, true, 1e-5).map((value, i) => value * weight![i % 8]! + bias![i % 8]!),
  });
  assert.deepEqual(layer, { "layer_norm.weight": [8], "layer_norm.bias": [8] });
  const rms = await checkLayer({
    name: "rmsNorm",
    layer: rmsNorm(),
    shape: [3, 7],
    reference: ({ x, "rms_norm.weight": weight }) =>
      normalized(x!, 7, false, 1.1920929e-7).map((value, i) => value * weight![i % 7]!),
  });
  assert.deepEqual(rms, { "rms_norm.weight": [7] });
  const plain = await checkLayer({
    name: "without parameters",
    layer: layerNorm({ normalizedShape: [3, 4], elementwiseAffine: false }),
    shape: [2, 3, 4],
    reference: ({ x }) => normalized(x!, 12, true, 1e-5),
  });
  assert.deepEqual(plain, {});
  await checkLayer({
    name: "images",
    layer: layerNorm({ normalizedShape: [2, 4], elementwiseAffine: false }),
    shape: [2, 3, 2, 4],
    reference: ({ x }) => normalized(x!, 8, true, 1e-5),
  });
});

Deno.test("an embedding looks up rows, of indices in any type", async () => {
  for (const dtype of ["i32", "f32"] as const) {
    const graph = new Graph();
    const y = embedding(5, 4)(graph.leaf("input", "x", rowMajor([2, 3], dtype)));
    assert.deepEqual(y.shape, [2, 3, 4]);
  }
  const shapes = await checkLayer({
    name: "embedding",
    layer: embedding(5, 4),
    shape: [2, 3],
    dtype: "i32",
    values: [0, 4, 4, 1, 0, 2],
    reference: ({ x, "embedding.weight": weight }) =>
      Float64Array.from({ length: 24 }, (_, i) => weight![x![i >> 2]! * 4 + i % 4]!),
  });
  assert.deepEqual(shapes, { "embedding.weight": [5, 4] });
});

Deno.test("learned positions add a row to each position", async () => {
  const shapes = await checkLayer({
    name: "positions",
    layer: learnedPositions(6),
    shape: [2, 4, 3],
    reference: ({ x, "learned_positions.weight": weight }) => Float64Array.from(x!, (v, i) => v + weight![i % 12]!),
  });
  assert.deepEqual(shapes, { "learned_positions.weight": [6, 3] });
});

Deno.test("inputs and options that do not fit are refused", () => {
  const x = new Graph().leaf("input", "x", rowMajor([2, 9, 3], "f32"));
  refuses(() => learnedPositions(6)(x), /at most 6 positions, got \[2, 9, 3\]/);
  refuses(() => layerNorm({ normalizedShape: 4 })(x), /expects an input \[n, \.\.\., 4\], got \[2, 9, 3\]/);
  refuses(() => layerNorm({ epsilon: 0 }), /epsilon.*more than 0/s);
  refuses(() => embedding(0, 4), /numEmbeddings/);
});
