import assert from "node:assert/strict";
import { groupNorm, instanceNorm } from "../../mod.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { activation, rowMajor } from "../../runtime/graph/types.ts";
import type { Shape } from "../../runtime/core/shape.ts";
import { checkLayer } from "../support/layer_case.ts";
import type { Values } from "../support/op_case.ts";
import { refuses } from "../support/refuses.ts";

/** Normalises runs of `width` numbers, and applies a weight and a bias per channel. */
function normalized(values: Readonly<Record<string, Values>>, layer: string, shape: Shape, groups: number) {
  const [, channels, ...rest] = shape as [number, number, ...number[]];
  const inner = rest.reduce((a, b) => a * b, 1);
  const width = channels / groups * inner;
  const [weight, bias] = [values[`${layer}.weight`], values[`${layer}.bias`]];
  const x = values["x"]!;
  return Float64Array.from(x, (value, i) => {
    const run = Array.from({ length: width }, (_, k) => x[i - i % width + k]!);
    const mean = run.reduce((a, b) => a + b, 0) / width;
    const variance = run.reduce((sum, other) => sum + (other - mean) ** 2, 0) / width;
    const channel = Math.floor(i / inner) % channels;
    return (value - mean) / Math.sqrt(variance + 1e-5) * (weight?.[channel] ?? 1) + (bias?.[channel] ?? 0);
  });
}

Deno.test("groupNorm and instanceNorm match the reference", async () => {
  for (const [shape, groups] of [[[2, 6, 5], 3], [[3, 4], 2], [[2, 4, 3, 4], 1]] as const) {
    const shapes = await checkLayer({
      name: `${groups} groups of [${shape}]`,
      layer: groupNorm(groups),
      shape,
      reference: (values) => normalized(values, "group_norm", shape, groups),
      tolerance: 5e-5,
    });
    assert.deepEqual(shapes, { "group_norm.weight": [shape[1]], "group_norm.bias": [shape[1]] });
  }
  const none = await checkLayer({
    name: "instanceNorm",
    layer: instanceNorm(),
    shape: [2, 3, 7],
    reference: (values) => normalized(values, "instance_norm", [2, 3, 7], 3),
    tolerance: 5e-5,
  });
  assert.deepEqual(none, {});
});

Deno.test("norms of groups keep the layout of images, and refuse inputs that do not fit", () => {
  const images = new Graph().leaf("input", "x", activation([2, 6, 4, 4], "f32"));
  assert.equal(groupNorm(2)(images).type.layout, images.type.layout);
  refuses(() => groupNorm(4)(images), /a multiple of 4 channels, got \[2, 6, 4, 4\]/);
  refuses(() => instanceNorm()(new Graph().leaf("input", "x", rowMajor([2, 6], "f32"))), /at least 3 dimensions/);
});
