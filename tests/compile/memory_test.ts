import assert from "node:assert/strict";
import {
  batchNorm,
  conv2d,
  crossEntropy,
  flatten,
  linear,
  relu,
  type ScenarioDefinition,
  schedules,
  sequential,
  sgd,
  syntheticImages,
} from "../../mod.ts";
import { compileVariant } from "../../runtime/compile/variant.ts";
import { describeDataset } from "../../runtime/data/describe.ts";
import { Device } from "../../runtime/device/device.ts";
import { SlotPool } from "../../runtime/engine/slot_pool.ts";
import { LocalSteps } from "../../runtime/experiment/variant/local_steps.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";

type Settings = Partial<ScenarioDefinition<Record<never, never>>>;

const net = sequential({
  conv1: conv2d(6, { kernel: 3, padding: 1 }),
  relu1: relu(),
  conv2: conv2d(5, { kernel: 3, bias: false }),
  bn2: batchNorm(),
  relu2: relu(),
  flatten: flatten(),
  fc: linear(4),
});

const SETTINGS: Record<string, Settings> = {
  "clipped gradients": { clipNorm: 1 },
  "micro-batches": { accumulate: 3 },
  averages: { ema: true, evaluate: { every: 1 } },
  "averages of f16 parameters": { ema: true, amp: "O3", evaluate: { every: 1 } },
  "groups and a schedule": {
    groups: [{ match: "vectors", weightDecay: 0 }],
    schedule: schedules.cosine({ steps: 10 }),
  },
  "sinks of micro-batches": { accumulate: 2, sink: 3 },
  train: {},
  sink: { sink: 3 },
  amp: { amp: "O2" },
  evaluate: { evaluate: { every: 1 } },
  unfused: { compile: { fusion: false, inPlace: false } },
  "without an optimizer": { optimizer: null },
  infer: { mode: "infer", sink: 2 },
  "without a loss": { loss: null, optimizer: null, sink: 2 },
};

// Without a step, whose kernels take seconds to compile; trainer/settings_together_test.ts trains
Deno.test("the memory allocated for a variant equals the planned memory to the byte", async (t) => {
  const device = await Device.open();
  for (const [name, settings] of Object.entries(SETTINGS)) {
    await t.step(name, async () => {
      const [variant] = resolveScenario({
        name: "memory",
        model: net,
        loss: crossEntropy(),
        optimizer: sgd({ learningRate: 0.1, momentum: 0.9 }),
        data: syntheticImages({ height: 9, width: 7, classes: 4, length: 64 }),
        loader: { batchSize: 4 },
        ...settings,
      }).variants;
      const dataset = describeDataset(variant!.config.data);
      const compiled = compileVariant(variant!.config, dataset, device.traits);
      const slots = new SlotPool(device);
      const run = new LocalSteps({ variant: variant!, dataset, compiled }, { device, slots, interrupted: () => false });
      slots.reserve(compiled.plan.slots);
      if (variant!.config.evaluate !== null) slots.reserve(compiled.evaluation().slots);
      const before = device.bytes;
      await run.prepare(0);
      assert.equal(device.bytes - before, compiled.memory.peak);
      await run.close();
      slots.free();
      assert.equal(device.bytes, before, "freed");
    });
  }
  device.destroy();
});
