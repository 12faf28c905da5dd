import assert from "node:assert/strict";
import { adam, crossEntropy, lenet, resnet, sgd } from "../../mod.ts";
import { Device } from "../../runtime/device/device.ts";
import { GraphRunner } from "../../runtime/engine/graph_runner.ts";
import { classSteps } from "../support/class_steps.ts";
import { buildConvolution } from "../support/conv_case.ts";
import { CASES } from "../support/conv_cases.ts";
import { full, fullTest } from "../support/full.ts";
import { draw } from "../support/products.ts";
import { withKernels } from "../support/with_kernels.ts";
import { classified } from "../trainer/models.ts";

const MODELS = {
  lenet: { model: lenet({ classes: 10 }), shape: [1, 28, 28], optimizer: adam({ learningRate: 1e-3 }) },
  resnet: {
    model: resnet({ depth: 20, classes: 10, stem: "imagenet" }),
    shape: [3, 40, 40],
    optimizer: sgd({ learningRate: 0.01, momentum: 0.9, weightDecay: 1e-4 }),
  },
};

/** Losses of three steps by the kernels of a class of adapters. */
async function losses(name: keyof typeof MODELS, amp: "O0" | "O2", deviceClass: "cpu" | "gpu"): Promise<number[]> {
  const { shape, ...rest } = MODELS[name];
  const definition = { name, ...rest, loss: crossEntropy(), data: classified(shape, 10), loader: { batchSize: 8 } };
  const { outcomes } = await classSteps(definition, amp, deviceClass, 3);
  assert.ok(outcomes.every(({ skipped }) => !skipped), `${name}, ${amp}, ${deviceClass}`);
  return outcomes.map(({ loss }) => loss);
}

// tests/models/ trains with the kernels of the other class in the fast set
for (const name of ["lenet", "resnet"] as const) {
  for (const amp of ["O0", "O2"] as const) {
    fullTest(`a GPU's plan of ${name} gives the losses of a software adapter's plan, ${amp}`, async () => {
      const [cpu, gpu] = [await losses(name, amp, "cpu"), await losses(name, amp, "gpu")];
      cpu.forEach((loss, i) => {
        // After two updates, rounding may have changed the sign of a ReLU's input, which changes gradients by up to 1e-2
        const close = amp === "O2" ? 2e-2 : i < 2 ? 1e-5 : 1e-3;
        assert.ok(Math.abs(loss - gpu[i]!) <= close * loss, `step ${i}: ${loss} and ${gpu[i]}`);
      });
      assert.ok(cpu[2]! < cpu[0]!, `${cpu}`);
      assert.deepEqual(gpu, await losses(name, amp, "gpu"), "the same steps have the same losses");
    });
  }
}

Deno.test("kernels of either class run node by node on a device that was opened for the other", async () => {
  const c = CASES["1x1"]!;
  const size = (shape: readonly number[]) => shape.reduce((a, b) => a * b);
  const leaves = new Map([["x", draw(size(c.x), "f32", 1)], ["weight", draw(size(c.weight), "f32", 2)]]);
  const compute = async (opened: "cpu" | "gpu", deviceClass: "cpu" | "gpu") => {
    using device = await openFor(opened);
    const results = new Map<string, Float64Array>();
    for (let candidates = 1, choice = 0; choice < candidates; choice++) {
      const { y } = buildConvolution(c, "f32", "f32", null);
      let name = "";
      const pick = (_: unknown, plans: readonly { readonly name: string }[]) => {
        candidates = Math.min(plans.length, full ? Infinity : 2);
        name = plans[choice]!.name;
        return choice;
      };
      const runner = await GraphRunner.create(device.value, [y], { traits: { class: deviceClass }, pick });
      results.set(name, (await runner.run(leaves))[0]!);
      runner.free();
    }
    assert.ok(results.size > 1, `candidates of the class ${deviceClass}`);
    return results;
  };
  for (const deviceClass of ["cpu", "gpu"] as const) {
    assert.deepEqual(await compute("gpu", deviceClass), await compute("cpu", deviceClass), deviceClass);
  }
});

/** Opens a device as TACHO_KERNELS does. */
async function openFor(kernels: "cpu" | "gpu"): Promise<Disposable & { readonly value: Device }> {
  const value = await withKernels(kernels, () => Device.open());
  return { value, [Symbol.dispose]: () => value.destroy() };
}
