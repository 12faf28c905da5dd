/** Subgroup kernels: that they compile, respect the adapter's limits, and are chosen where they should be. */
import assert from "node:assert/strict";
import { conv2d } from "../../ops/conv2d.ts";
import { matmul } from "../../ops/matmul.ts";
import { sizeOf } from "../../runtime/core/shape.ts";
import type { KernelPlan, KernelSpec } from "../../runtime/device/kernel.ts";
import { DEFAULT_TRAITS, type DeviceTraits } from "../../runtime/device/traits.ts";
import { differentiate } from "../../runtime/graph/autograd.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { activation, rowMajor } from "../../runtime/graph/types.ts";
import { candidatesOf, testDevice } from "../support/evaluate.ts";

const LANES = [4, 8, 16, 32, 64];
const { traits: own } = await testDevice();

Deno.test("subgroup kernels compile for every number of lanes", async (t) => {
  const { gpu } = await testDevice();
  if (!gpu.features.has("subgroups" as GPUFeatureName)) {
    await t.step({ name: "skipped: the adapter grants no subgroup operations", ignore: true, fn() {} });
    return;
  }
  const kernels = new Map<string, KernelSpec>();
  for (const lanes of LANES) {
    for (const { kernel } of everyKernel({ ...DEFAULT_TRAITS, f16: own.f16, subgroupSize: lanes })) {
      if (usesSubgroups(kernel)) kernels.set(kernel.wgsl, kernel);
    }
  }
  for (const lanes of LANES) {
    assert.ok([...kernels.values()].some(({ workgroupSize }) => workgroupSize[0] === lanes), `${lanes} lanes`);
  }
  for (const { name, wgsl } of kernels.values()) {
    gpu.pushErrorScope("validation");
    gpu.createShaderModule({ label: name, code: wgsl });
    const error = await gpu.popErrorScope();
    assert.equal(error, null, `${name}: ${error?.message}`);
  }
});

Deno.test("candidates of a GPU respect the adapter's limits and features", () => {
  for (const lanes of [null, ...LANES]) {
    const traits: DeviceTraits = { ...DEFAULT_TRAITS, subgroupSize: lanes };
    for (const { where, plan, kernel } of everyKernel(traits)) {
      const title = `${where}, ${kernel.name}, ${lanes} lanes`;
      assert.ok(sizeOf(kernel.workgroupSize) <= traits.maxInvocations, `${title}: ${kernel.workgroupSize} invocations`);
      assert.ok(Math.max(...kernel.grid) <= traits.maxWorkgroupsPerDimension, `${title}: ${kernel.grid} workgroups`);
      assert.ok(kernel.bindings.length <= traits.maxStorageBuffers, `${title}: ${kernel.bindings.length} bindings`);
      for (const bytes of plan.workspace) assert.ok(bytes <= traits.maxStorageBindingBytes, `${title}: ${bytes} bytes`);
      // A workgroup is one subgroup
      if (usesSubgroups(kernel)) assert.deepEqual([...kernel.workgroupSize], [lanes, 1, 1], title);
    }
  }
});

Deno.test("subgroups add candidates and change the default only of software adapters with 8 lanes", () => {
  for (const [where, tensor] of Object.entries(problems(["f32"]))) {
    for (const deviceClass of ["gpu", "cpu"] as const) {
      const names = (subgroupSize: number | null) =>
        candidatesOf(tensor, { ...DEFAULT_TRAITS, class: deviceClass, subgroupSize }).map(({ name }) => name);
      const without = names(null);
      for (const lanes of LANES.filter((lanes) => deviceClass === "gpu" || lanes !== 8)) {
        assert.equal(names(lanes)[0], without[0], where);
        assert.deepEqual(
          names(lanes).filter((name) => !/\.(simd|runs)\d*\./.test(name)),
          without,
          where,
        );
      }
      for (const odd of [1, 2, 24, 128]) assert.deepEqual(names(odd), without, where);
    }
  }
});

function usesSubgroups({ wgsl }: KernelSpec): boolean {
  return /\b(?:subgroup|quad)[A-Z]/.test(wgsl);
}

function* everyKernel(traits: DeviceTraits): Generator<{ where: string; plan: KernelPlan; kernel: KernelSpec }> {
  for (const [where, tensor] of Object.entries(problems(traits.f16 ? ["f32", "f16"] : ["f32"]))) {
    for (const plan of candidatesOf(tensor, traits)) for (const kernel of plan.kernels) yield { where, plan, kernel };
  }
}

/** Returns layers of networks, from small to large, with their gradients. */
function problems(dtypes: readonly ("f32" | "f16")[]): Record<string, Tensor> {
  const found: Record<string, Tensor> = {};
  for (const dtype of dtypes) {
    for (
      const [n, c, size, out, kernel] of [
        [2, 16, 9, 16, 3],
        [32, 3, 32, 6, 5],
        [256, 64, 56, 64, 3],
        [64, 64, 112, 128, 1],
        [128, 256, 14, 512, 3],
      ] as const
    ) {
      const graph = new Graph("train", "nhwc");
      const padding = [kernel >> 1, kernel >> 1] as const;
      const x = graph.leaf("input", "x", activation([n, c, size, size], dtype, "nhwc"));
      const weight = graph.leaf("parameter", "weight", { shape: [out, c, kernel, kernel], dtype, layout: "hwio" });
      const y = conv2d(x, weight, null, { stride: [1, 1], padding, dilation: [1, 1], groups: 1 });
      add(`conv2d ${dtype} ${x.shape} to ${out}, ${kernel}x${kernel}`, y, [x, weight]);
    }
    for (
      const [batch, m, k, n] of [[1, 20, 16, 36], [1, 1024, 1024, 1000], [48, 128, 64, 512], [
        1,
        65536,
        768,
        768,
      ]] as const
    ) {
      const graph = new Graph();
      const a = graph.leaf("parameter", "a", rowMajor([batch, m, k], dtype));
      const b = graph.leaf("parameter", "b", rowMajor([batch, k, n], dtype));
      add(`matmul ${dtype} ${batch} x ${m} x ${k} x ${n}`, matmul(a, b), [a, b]);
    }
  }
  return found;

  function add(name: string, y: Tensor, inputs: readonly Tensor[]): void {
    const dy = y.graph.leaf("input", "dy", y.type);
    const gradients = differentiate(y, dy, inputs, () => assert.fail("nothing to accumulate"));
    [y, ...gradients].forEach((tensor, i) =>
      found[`${name}${["", ", first gradient", ", second gradient"][i]}`] = tensor!
    );
  }
}
