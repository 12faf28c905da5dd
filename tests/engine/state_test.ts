import assert from "node:assert/strict";
import { adam, batchNorm, crossEntropy, dropout, linear, type ScenarioDefinition, sequential } from "../../mod.ts";
import { compileVariant } from "../../runtime/compile/variant.ts";
import { describeDataset } from "../../runtime/data/describe.ts";
import { Device } from "../../runtime/device/device.ts";
import { TIMESTAMP_BYTES } from "../../runtime/device/timestamps.ts";
import { SlotPool } from "../../runtime/engine/slot_pool.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { Session } from "../../runtime/trainer/session.ts";
import { bits, classified } from "../trainer/models.ts";

const definition: ScenarioDefinition<Record<never, never>> = {
  name: "state",
  model: sequential({ fc1: linear(7), bn: batchNorm(), drop: dropout(0.2), fc2: linear(3) }),
  loss: crossEntropy(),
  optimizer: adam(),
  data: classified([5], 3),
  loader: { batchSize: 4 },
};

Deno.test("a snapshot holds everything that a step changes; all bytes are freed and none but the planned are taken", async () => {
  const { config } = resolveScenario(definition).variants[0]!;
  const device = await Device.open();
  try {
    const compiled = compileVariant(config, describeDataset(config.data), device.traits);
    const slots = new SlotPool(device);
    slots.reserve(compiled.plan.slots);
    const session = await Session.create(device, slots, compiled, { seed: 1, label: "test" });
    // Feeds come with a recorder of timestamps
    const timed = device.timestamps ? TIMESTAMP_BYTES : 0;
    assert.equal(device.bytes + timed, compiled.memory.peak);
    session.upload({
      input: Float32Array.from({ length: 20 }, (_, i) => Math.sin(i)),
      target: Int32Array.of(0, 1, 2, 0),
    });
    const run = async (first: number) => {
      for (let i = 0; i < 3; i++) session.runOnce();
      return bits((await session.state.outcomes(first, 3)).map(({ loss }) => loss));
    };
    await run(0);
    const resident = device.bytes;
    const snapshot = session.state.snapshot();
    const wanted = await run(3);
    session.state.restore(snapshot);
    assert.equal(device.bytes, resident, "the copies are freed");
    assert.deepEqual(await run(3), wanted);
    assert.notDeepEqual(await run(6), wanted);
    session.free();
    slots.free();
    assert.equal(device.bytes, 0);
    await device.settle();
  } finally {
    device.destroy();
  }
});
