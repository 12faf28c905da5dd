import assert from "node:assert/strict";
import { conv1d, convTranspose2d, embedding } from "../../mod.ts";
import { add } from "../../ops/add.ts";
import { differentiate } from "../../runtime/graph/autograd.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { initialize } from "../../runtime/nn/initialize.ts";
import { evaluate } from "../support/evaluate.ts";
import { checkLayer } from "../support/layer_case.ts";
import { normals } from "../support/op_case.ts";
import { build, initializerOf } from "./building.ts";
import { refuses } from "../support/refuses.ts";

Deno.test("conv1d is PyTorch's, with groups, stride, padding and dilation", async () => {
  const [n, c, length, out, kernel, stride, padding, dilation, groups] = [2, 4, 9, 6, 3, 2, 1, 2, 2] as const;
  const size = Math.floor((length + 2 * padding - dilation * (kernel - 1) - 1) / stride) + 1;
  const shapes = await checkLayer({
    name: "conv1d",
    half: true,
    layer: conv1d(out, { kernel, stride, padding, dilation, groups }),
    shape: [n, c, length],
    reference: ({ x, "conv1d.weight": weight, "conv1d.bias": bias }) => {
      const y = new Float64Array(n * out * size);
      for (let i = 0; i < y.length; i++) {
        const [s, o, at] = [Math.floor(i / size / out), Math.floor(i / size) % out, i % size];
        y[i] = bias![o]!;
        for (let k = 0; k < c / groups; k++) {
          const channel = Math.floor(o / (out / groups)) * (c / groups) + k;
          for (let tap = 0; tap < kernel; tap++) {
            const place = at * stride - padding + tap * dilation;
            if (place < 0 || place >= length) continue;
            y[i]! += weight![(o * (c / groups) + k) * kernel + tap]! * x![(s * c + channel) * length + place]!;
          }
        }
      }
      return y;
    },
  });
  assert.deepEqual(shapes, { "conv1d.weight": [6, 2, 3], "conv1d.bias": [6] });
});

Deno.test("convTranspose2d is PyTorch's, with groups, stride, padding, output padding and dilation", async () => {
  const cases = [
    { kernel: 2, stride: 2, padding: 0, outputPadding: 0, dilation: 1, groups: 1, bias: true },
    { kernel: 3, stride: 2, padding: 1, outputPadding: 1, dilation: 1, groups: 2, bias: true },
    { kernel: 3, stride: 3, padding: 2, outputPadding: 2, dilation: 2, groups: 1, bias: false },
  ];
  for (const { kernel, stride, padding, outputPadding, dilation, groups, bias } of cases) {
    const [n, c, h, w, out] = [2, 4, 3, 5, 6] as const;
    const extent = (size: number) => (size - 1) * stride - 2 * padding + dilation * (kernel - 1) + outputPadding + 1;
    const [oh, ow] = [extent(h), extent(w)];
    const own = out / groups;
    const shapes = await checkLayer({
      name: JSON.stringify({ kernel, stride, padding, outputPadding, dilation, groups }),
      half: true,
      layer: convTranspose2d(out, { kernel, stride, padding, outputPadding, dilation, groups, bias }),
      shape: [n, c, h, w],
      reference: ({ x, "conv_transpose2d.weight": weight, "conv_transpose2d.bias": offsets }) => {
        const y = Float64Array.from(
          { length: n * out * oh * ow },
          (_, i) => offsets?.[Math.floor(i / oh / ow) % out] ?? 0,
        );
        for (let i = 0; i < n * c * h * w; i++) {
          const [s, k, row, column] = [
            Math.floor(i / w / h / c),
            Math.floor(i / w / h) % c,
            Math.floor(i / w) % h,
            i % w,
          ];
          for (let o = 0; o < own; o++) {
            for (let tap = 0; tap < kernel * kernel; tap++) {
              const [ty, tx] = [Math.floor(tap / kernel), tap % kernel];
              const [at, beside] = [row * stride - padding + ty * dilation, column * stride - padding + tx * dilation];
              if (at < 0 || at >= oh || beside < 0 || beside >= ow) continue;
              const channel = Math.floor(k / (c / groups)) * own + o;
              y[((s * out + channel) * oh + at) * ow + beside]! += x![i]! *
                weight![(k * own + o) * kernel * kernel + tap]!;
            }
          }
        }
        return y;
      },
    });
    assert.deepEqual(shapes["conv_transpose2d.weight"], [4, own, kernel, kernel]);
  }
  refuses(() => convTranspose2d(4, { kernel: 2, outputPadding: 1 }), /outputPadding.*less than the stride/);
  refuses(() => build(convTranspose2d(4, { kernel: 2 }), [2, 3]), /expects an input \[n, c, h, w\]/);
});

Deno.test("an embedding's row of padding starts at 0 and has no gradient", async () => {
  for (const paddingIdx of [2, -3]) {
    const layer = embedding(5, 4, { paddingIdx });
    const built = build(layer, [2, 3]);
    const start = initialize(initializerOf(built, "embedding.weight")!, [5, 4], 1, "embedding.weight");
    assert.deepEqual([...start.subarray(8, 12)], [0, 0, 0, 0]);
    assert.ok(start.subarray(12).every((value) => value !== 0));
    const graph = new Graph();
    const y = layer(graph.leaf("input", "x", rowMajor([2, 3], "i32")));
    const [weight] = graph.leaves("parameter") as [Tensor];
    const [gradient] = differentiate(y, graph.leaf("input", "dy", y.type), [weight], add) as [Tensor];
    const dy = normals(24, 3);
    const table = normals(20, 4);
    const leaves = new Map<string, ArrayLike<number>>([["x", [0, 2, 4, 2, 0, 1]], ["dy", dy], [weight.node.id, table]]);
    const [got, dw] = await evaluate([y, gradient], leaves);
    assert.deepEqual(
      [...got!.subarray(4, 8)],
      [...Float32Array.from(table.subarray(8, 12))],
      "the row is read as it is",
    );
    const want = Float32Array.from({ length: 20 }, (_, i) => {
      const [row, k] = [i >> 2, i % 4];
      return row === 0
        ? Math.fround(dy[k]!) + Math.fround(dy[16 + k]!)
        : row === 4
        ? dy[8 + k]!
        : row === 1
        ? dy[20 + k]!
        : 0;
    });
    assert.deepEqual([...dw!], [...want]);
  }
  refuses(() => embedding(5, 4, { paddingIdx: 5 }), /paddingIdx.*below numEmbeddings/);
});
