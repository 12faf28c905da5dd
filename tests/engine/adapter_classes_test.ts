import assert from "node:assert/strict";
import { adam, crossEntropy, lenet, resnet, sgd } from "../../mod.ts";
import { classSteps } from "../support/class_steps.ts";
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

for (const name of ["lenet", "resnet"] as const) {
  for (const amp of ["O0", "O2"] as const) {
    Deno.test(`a GPU's plan of ${name} gives the losses of a software adapter's plan, ${amp}`, async () => {
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
