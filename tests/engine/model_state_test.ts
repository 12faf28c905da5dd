import assert from "node:assert/strict";
import fc from "../packages/fast_check.ts";
import { adam, batchNorm, crossEntropy, dropout, linear, type ScenarioDefinition, sequential } from "../../mod.ts";
import { TIMESTAMP_BYTES } from "../../runtime/device/timestamps.ts";
import { decodeOutcomes, ringRanges } from "../../runtime/engine/model_state.ts";
import { withOpenSession } from "../support/session.ts";
import { bits, classified } from "../trainer/models.ts";

const definition: ScenarioDefinition<Record<never, never>> = {
  name: "state",
  model: sequential({ fc1: linear(7), bn: batchNorm(), drop: dropout(0.2), fc2: linear(3) }),
  loss: crossEntropy(),
  optimizer: adam(),
  data: classified([5], 3),
  loader: { batchSize: 4 },
};

Deno.test("a snapshot holds all state that a step changes, and the allocated bytes are the planned ones", async () => {
  await withOpenSession(definition, async ({ device, compiled, session, free }) => {
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
    free();
    assert.equal(device.bytes, 0);
    await device.settle();
  });
});

/** Steps whose losses the device keeps. */
const STEPS = 4096;

Deno.test("ranges of the loss ring hold the entries of the steps in order", () => {
  fc.assert(fc.property(fc.nat(20000), fc.integer({ min: 1, max: 6000 }), (first, count) => {
    const places = ringRanges(first, count).flatMap(({ offset, size }) => {
      assert.ok(offset % 16 === 0 && size % 16 === 0 && offset + size <= STEPS * 16);
      return Array.from({ length: size / 16 }, (_, i) => offset / 16 + i);
    });
    const kept = Math.min(count, STEPS);
    const wanted = Array.from({ length: kept }, (_, i) => (first + count - kept + i) % STEPS);
    assert.deepEqual(places, wanted);
  }));
});

Deno.test("entries of the loss ring hold loss, loss scale, whether the step was skipped, and the factor on its learning rate", () => {
  const values = Float32Array.of(1.5, 8, 0, 0, Infinity, 4, 1, 0.5);
  assert.deepEqual(decodeOutcomes(values.buffer), [
    { loss: 1.5, lossScale: 8, skipped: false, rateFactor: 0 },
    { loss: Infinity, lossScale: 4, skipped: true, rateFactor: 0.5 },
  ]);
});
