import assert from "node:assert/strict";
import { adam, crossEntropy, lenet, resnet, type ScenarioDefinition, sgd } from "../../mod.ts";
import { compileVariant } from "../../runtime/compile/variant.ts";
import { describeDataset } from "../../runtime/data/describe.ts";
import { Device } from "../../runtime/device/device.ts";
import { SlotPool } from "../../runtime/engine/slot_pool.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { Session } from "../../runtime/trainer/session.ts";
import { labels, normals } from "../support/reference/random.ts";
import { classified } from "../trainer/models.ts";

const SAMPLES = 8;

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
  const definition: ScenarioDefinition<Record<never, never>> = {
    name,
    ...rest,
    loss: crossEntropy(),
    data: classified(shape, 10),
    loader: { batchSize: SAMPLES },
    amp: { level: amp, scaler: { init: 1024 } },
  };
  const { config } = resolveScenario(definition).variants[0]!;
  const device = await Device.open();
  try {
    const compiled = compileVariant(config, describeDataset(config.data), { ...device.traits, class: deviceClass });
    const slots = new SlotPool(device);
    slots.reserve(compiled.plan.slots);
    const session = await Session.create(device, slots, compiled, { seed: 1, label: "test" });
    device.write(session.input, 0, normals(SAMPLES * shape[0]! * shape[1]! * shape[2]!, 1));
    device.write(session.target, 0, labels(SAMPLES, 10, 2));
    for (let i = 0; i < 3; i++) session.runOnce();
    const outcomes = await session.state.outcomes(0, 3);
    assert.ok(outcomes.every(({ skipped }) => !skipped), `${name}, ${amp}, ${deviceClass}`);
    device.check();
    return outcomes.map(({ loss }) => loss);
  } finally {
    device.destroy();
  }
}

for (const name of ["lenet", "resnet"] as const) {
  for (const amp of ["O0", "O2"] as const) {
    Deno.test(`a GPU's plan of ${name} trains as a software adapter's does, ${amp}`, async () => {
      const [cpu, gpu] = [await losses(name, amp, "cpu"), await losses(name, amp, "gpu")];
      const close = amp === "O0" ? 1e-5 : 2e-2;
      cpu.forEach((loss, i) => {
        assert.ok(Math.abs(loss - gpu[i]!) <= close * loss, `step ${i}: ${loss} and ${gpu[i]}`);
      });
      assert.ok(cpu[2]! < cpu[0]!, `${cpu}`);
    });
  }
}
