/** The kernel families that each class of adapter is offered. The ops' own tests check the results. */
import assert from "node:assert/strict";
import { conv2d, conv2dInputGrad, conv2dWeightGrad } from "../../ops/conv2d.ts";
import { matmul } from "../../ops/matmul.ts";
import { DEFAULT_TRAITS, type DeviceTraits } from "../../runtime/device/traits.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { activation, type ImageLayout, rowMajor } from "../../runtime/graph/types.ts";
import { candidatesOf, evaluate, testDevice } from "../support/evaluate.ts";
import { full, sampled } from "../support/full.ts";
import { assertClose } from "../support/op_case.ts";
import { draw } from "../support/products.ts";

const SOFTWARE: DeviceTraits = { ...DEFAULT_TRAITS, class: "cpu" };
const WITH_SUBGROUPS: DeviceTraits = { ...SOFTWARE, subgroupSize: 8 };

function names(tensor: Tensor, traits: DeviceTraits): string[] {
  return candidatesOf(tensor, traits).map((plan) => plan.name);
}

function convolution(channels: number, out: number, kernel: number, groups = 1, images: ImageLayout = "nhwc") {
  const graph = new Graph("train", images);
  const attrs = { stride: [1, 1], padding: [kernel >> 1, kernel >> 1], dilation: [1, 1], groups } as const;
  const x = graph.leaf("input", "x", activation([2, channels, 8, 8], "f32", images));
  const shape = [out, channels / groups, kernel, kernel];
  const weight = graph.leaf("parameter", "weight", { shape, dtype: "f32", layout: "hwio" });
  const y = conv2d(x, weight, null, attrs);
  const dy = graph.leaf("input", "dy", y.type);
  const dx = conv2dInputGrad(dy, weight, { ...attrs, inputShape: x.shape });
  return { y, dx, dw: conv2dWeightGrad(x, dy, { ...attrs, weight: weight.type }) };
}

function product(n: number): Tensor {
  const graph = new Graph();
  const [a, b] = [[64, 64], [64, n]].map((shape, i) => graph.leaf("input", `m${i}`, rowMajor(shape, "f32")));
  return matmul(a!, b!);
}

Deno.test("only adapters that grant subgroups are offered subgroup kernels", () => {
  const { y, dx, dw } = convolution(64, 64, 3);
  assert.match(names(convolution(16, 16, 3).y, WITH_SUBGROUPS)[0]!, /\.runs\./);
  assert.match(names(convolution(16, 16, 3).dw, WITH_SUBGROUPS)[0]!, /\.quads\./);
  for (const op of [y, dx, dw, product(64), ...Object.values(convolution(64, 64, 1))]) {
    const simd = (traits: DeviceTraits) => names(op, traits).filter((name) => /\.(simd|runs|quads)\d*\./.test(name));
    assert.notDeepEqual(simd(WITH_SUBGROUPS), []);
    for (const traits of [SOFTWARE, DEFAULT_TRAITS]) assert.deepEqual(simd(traits), []);
    assert.match(names(op, DEFAULT_TRAITS)[0]!, /\.tiled\./);
  }
});

Deno.test("software adapters run over lines of 10 pixels of 6 channels, as in LeNet's second convolution", () => {
  const graph = new Graph("train");
  const x = graph.leaf("input", "x", activation([64, 6, 14, 14], "f32"));
  const weight = graph.leaf("parameter", "weight", { shape: [16, 6, 5, 5], dtype: "f32", layout: "hwio" });
  const y = conv2d(x, weight, null, { stride: [1, 1], padding: [0, 0], dilation: [1, 1], groups: 1 });
  assert.match(names(y, WITH_SUBGROUPS)[0]!, /\.runs\./);
});

Deno.test("the gradient of a strided 1x1 convolution clears the pixels that no tap sees", () => {
  const graph = new Graph("train");
  const attrs = { stride: [2, 2], padding: [0, 0], dilation: [1, 1], groups: 1 } as const;
  const x = graph.leaf("input", "x", activation([32, 16, 32, 32], "f32"));
  const weight = graph.leaf("parameter", "weight", { shape: [32, 16, 1, 1], dtype: "f32", layout: "hwio" });
  const dy = graph.leaf("input", "dy", conv2d(x, weight, null, attrs).type);
  const dx = conv2dInputGrad(dy, weight, { ...attrs, inputShape: x.shape });
  const [clear, convolve, ...others] = candidatesOf(dx, WITH_SUBGROUPS)[0]!.kernels;
  assert.match(clear!.name, /zeros/);
  assert.match(convolve!.name, /\.simd\./);
  assert.deepEqual(others, []);
});

Deno.test("NCHW convolutions use only kernels that read planes", () => {
  for (const traits of [SOFTWARE, WITH_SUBGROUPS, DEFAULT_TRAITS]) {
    for (
      const op of [convolution(64, 64, 3, 1, "nchw"), convolution(8, 8, 3, 8, "nchw"), convolution(4, 8, 1, 1, "nchw")]
    ) {
      for (const tensor of Object.values(op)) {
        assert.equal(tensor.type.layout, tensor === op.dw ? "hwio" : "nchw");
        for (const name of names(tensor, traits)) assert.match(name, /\.planes$/);
      }
    }
  }
});

Deno.test("Winograd is a candidate for 3x3 convolutions on GPUs, and never the default", () => {
  const winograd = (tensor: Tensor, traits: DeviceTraits) =>
    names(tensor, traits).flatMap((name, i) => name.includes(".winograd") ? [i] : []);
  for (const channels of [16, 128]) {
    const { y } = convolution(channels, channels, 3);
    const places = winograd(y, DEFAULT_TRAITS);
    assert.equal(places.length, 2);
    assert.ok(!places.includes(0));
    for (const traits of [SOFTWARE, WITH_SUBGROUPS]) assert.deepEqual(winograd(y, traits), []);
  }
  for (const { y } of [convolution(16, 16, 5), convolution(6, 16, 3), convolution(16, 16, 3, 2)]) {
    assert.deepEqual(winograd(y, DEFAULT_TRAITS), [], "odd channels, groups, other kernels");
  }
});

Deno.test("1x1 convolutions default to matrix products and depthwise convolutions to depthwise kernels", () => {
  for (const traits of [SOFTWARE, WITH_SUBGROUPS, DEFAULT_TRAITS]) {
    for (const op of Object.values(convolution(24, 40, 1))) assert.match(names(op, traits)[0]!, /\.pointwise\./);
    for (const [channels, out] of [[12, 12], [5, 5], [6, 18]] as const) {
      for (const op of Object.values(convolution(channels, out, 3, channels))) {
        assert.match(names(op, traits)[0]!, /\.depthwise\./);
      }
    }
  }
});

Deno.test("a GPU uses the largest tile that keeps it busy and splits long sums", () => {
  const first = (m: number, n: number, k: number) => {
    const graph = new Graph();
    const [a, b] = [[m, k], [k, n]].map((shape, i) => graph.leaf("input", `m${i}`, rowMajor(shape, "f32")));
    const [plan] = candidatesOf(matmul(a!, b!), DEFAULT_TRAITS);
    return { tile: plan!.name.match(/tiled\.(\d+x\d+)/)?.[1], splits: plan!.kernels[0]!.grid[2] };
  };
  assert.deepEqual(first(4096, 4096, 4096), { tile: "128x128", splits: 1 });
  assert.deepEqual(first(200704, 64, 576), { tile: "128x64", splits: 1 });
  assert.deepEqual(first(64, 1000, 100), { tile: "64x64", splits: 1 });
  assert.deepEqual(first(64, 1000, 2048), { tile: "64x64", splits: 16 });
  assert.deepEqual(first(64, 256, 200704), { tile: "64x128", splits: 128 });
});

Deno.test("no invocation writes part of a vector in workgroup memory, since such a write may touch the whole vector", () => {
  const graph = new Graph();
  const products = [[false, false], [true, false], [false, true], [true, true]].map(([transposeA, transposeB], i) => {
    const [a, b] = ["a", "b"].map((name) => graph.leaf("input", `${name}${i}`, rowMajor([128, 128], "f32")));
    return matmul(a!, b!, { transposeA: transposeA!, transposeB: transposeB! });
  });
  let written = 0;
  for (
    const tensor of [...products, ...Object.values(convolution(64, 64, 3)), ...Object.values(convolution(3, 70, 5))]
  ) {
    for (const { name, wgsl } of candidatesOf(tensor, DEFAULT_TRAITS).flatMap(({ kernels }) => kernels)) {
      for (const [, variable, arrays, element] of wgsl.matchAll(/var<workgroup> (\w+): ((?:array<)*)(\w+)/g)) {
        const stores = [...wgsl.matchAll(new RegExp(`\\b${variable}((?:\\[[^\\[\\]]*\\])+)(\\.\\w+)? =(?!=)`, "g"))];
        written += stores.length;
        for (const [store, indices, member] of stores) {
          const whole = member === undefined && indices!.split("[").length - 1 === arrays!.length / "array<".length;
          assert.ok(whole || !element!.startsWith("vec"), `${name}: ${store}`);
        }
      }
    }
  }
  assert.ok(written > 100, `${written} stores`);
});

Deno.test("kernels for little workgroup memory compute the same values", async () => {
  const { y, dx, dw } = convolution(20, 72, 3);
  const leaves = new Map([
    ["x", draw(2 * 20 * 64, "f32", 1)],
    ["weight", draw(72 * 20 * 9, "f32", 2)],
    ["dy", draw(2 * 72 * 64, "f32", 3)],
  ]);
  const own = await evaluate([y, dx, dw], leaves);
  const pipelines = new Set<string>();
  for (const maxWorkgroupBytes of [DEFAULT_TRAITS.maxWorkgroupBytes, 65536]) {
    for (const tile of sampled(["128x128", "128x64", "64x128", "64x64"], 2)) {
      const values = await evaluate([y, dx, dw], leaves, {
        traits: { class: "gpu", maxWorkgroupBytes },
        pick: (_node, plans) => {
          const picked = plans.findIndex(({ name }) => name.includes(`tiled.${tile}`));
          const kernel = plans[picked]?.kernels.find(({ name }) => name.includes("tiled"));
          if (kernel !== undefined) pipelines.add(kernel.wgsl);
          return Math.max(0, picked);
        },
      });
      own.forEach((expected, i) =>
        assertClose(values[i]!, expected, 1e-5, `${tile}, ${maxWorkgroupBytes} bytes, output ${i}`)
      );
    }
  }
  // A tile has different kernels for one slab and for two; y and dx share them
  assert.equal(pipelines.size, full ? 16 : 8, `${pipelines.size} kernels`);
});

Deno.test("a software adapter without subgroups computes the same values", async () => {
  const { y, dx, dw } = convolution(32, 36, 3);
  const leaves = new Map([
    ["x", draw(2 * 32 * 64, "f32", 1)],
    ["weight", draw(36 * 32 * 9, "f32", 2)],
    ["dy", draw(2 * 36 * 64, "f32", 3)],
  ]);
  const [own, plain] = [await evaluate([y, dx, dw], leaves), await evaluate([y, dx, dw], leaves, { traits: SOFTWARE })];
  own.forEach((values, i) => assertClose(plain[i]!, values, 1e-5, `output ${i}`));
});

const { traits: own } = await testDevice();

Deno.test({
  name: "a GPU's weight gradient with subgroups computes the same values, also beside the image",
  ignore: own.subgroupSize === null,
  fn: subgroupWeightGradient,
});

async function subgroupWeightGradient(): Promise<void> {
  const { dw } = convolution(20, 72, 3);
  const leaves = new Map([["x", draw(2 * 20 * 64, "f32", 1)], ["dy", draw(2 * 72 * 64, "f32", 2)]]);
  const [plain] = await evaluate([dw], leaves);
  let picked = -1;
  const [values] = await evaluate([dw], leaves, {
    traits: { class: "gpu" },
    pick: (_node, plans) => picked = plans.findIndex(({ name }) => name.startsWith("conv2d.weight_grad.simd")),
  });
  assert.ok(picked >= 0);
  assertClose(values!, plain!, 1e-5, "weight gradient");
}

Deno.test("the traits report subgroups exactly if the device grants them", async () => {
  const { gpu, traits, info } = await testDevice();
  const granted = gpu.features.has("subgroups" as GPUFeatureName);
  assert.equal(info.features.includes("subgroups"), granted);
  if (!granted) assert.equal(traits.subgroupSize, null);
});
