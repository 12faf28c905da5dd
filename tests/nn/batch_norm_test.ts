import assert from "node:assert/strict";
import { batchNorm } from "../../mod.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { checkLayer } from "../support/layer_case.ts";

Deno.test("batchNorm normalises the channels of sequences [n, c, length], as PyTorch's BatchNorm1d does", async () => {
  const [n, channels, length] = [3, 5, 7] as const;
  const shapes = await checkLayer({
    name: "batchNorm",
    half: true,
    layer: batchNorm(),
    shape: [n, channels, length],
    tolerance: 5e-5,
    reference: ({ x, "batch_norm.weight": weight, "batch_norm.bias": bias }) => {
      const channelOf = (i: number) => Math.floor(i / length) % channels;
      const all = Array.from(x!);
      return Float64Array.from(all, (value, i) => {
        const channel = channelOf(i);
        const same = all.filter((_, k) => channelOf(k) === channel);
        const mean = same.reduce((a, b) => a + b, 0) / same.length;
        const variance = same.reduce((sum, other) => sum + (other - mean) ** 2, 0) / same.length;
        return (value - mean) / Math.sqrt(variance + 1e-5) * weight![channel]! + bias![channel]!;
      });
    },
  });
  assert.deepEqual(shapes, { "batch_norm.weight": [channels], "batch_norm.bias": [channels] });
});

Deno.test("batchNorm refuses inputs of other ranks", () => {
  for (const shape of [[6], [2, 3, 4, 5, 6]]) {
    const x = new Graph().leaf("input", "x", rowMajor(shape, "f32"));
    assert.throws(() => batchNorm()(x), /expects an input \[n, c, h, w\], \[n, c, length\] or \[n, c\], got /);
  }
});
