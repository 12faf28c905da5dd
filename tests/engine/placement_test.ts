import assert from "node:assert/strict";
import { adam, batchNorm, crossEntropy, dropout, linear, type ScenarioDefinition, sequential } from "../../mod.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import { Device } from "../../runtime/device/device.ts";
import { Placement } from "../../runtime/engine/placement.ts";
import { withOpenSession } from "../support/session.ts";
import { bits, classified } from "../trainer/models.ts";

/** Model with random numbers, running statistics, optimizer state and loss scaling. */
const definition: ScenarioDefinition<Record<never, never>> = {
  name: "placed",
  model: sequential({ fc1: linear(7), bn: batchNorm(), drop: dropout(0.2), fc2: linear(3) }),
  loss: crossEntropy(),
  optimizer: adam(),
  data: classified([5], 3),
  loader: { batchSize: 4 },
};

/** Losses of six steps; a set-up before each of the last three, if `again`. */
async function losses(again: boolean): Promise<{ losses: number[]; buffers: Set<GPUBuffer>; bytes: number[] }> {
  return await withOpenSession(definition, async ({ device, slots, session, free }) => {
    await session.evaluation();
    session.upload({
      input: Float32Array.from({ length: 20 }, (_, i) => Math.sin(i)),
      target: Int32Array.of(0, 1, 2, 0),
    });
    const buffers = new Set<GPUBuffer>();
    const bytes: number[] = [];
    for (let step = 0; step < 6; step++) {
      if (again && step > 2) {
        const placement = new Placement(device, new RandomStream(step));
        slots.relocate(placement);
        await session.relocate(placement);
        placement.end();
      }
      session.runOnce();
      buffers.add(session.state.buffers.get("parameters")!).add(slots.buffer(0)).add(
        session.batch.field("input")!.buffer,
      );
      bytes.push(device.bytes);
    }
    const outcomes = await session.state.outcomes(0, 6);
    free();
    assert.equal(device.bytes, 0, "set-ups leave nothing behind");
    await device.settle();
    return { losses: bits(outcomes.map(({ loss }) => loss)), buffers, bytes };
  });
}

Deno.test("a new set-up has other buffers, the same training bit by bit, and takes no more memory", async () => {
  const [wanted, again] = [await losses(false), await losses(true)];
  assert.deepEqual(again.losses, wanted.losses);
  assert.equal(wanted.buffers.size, 3);
  assert.equal(again.buffers.size, 3 * 4);
  assert.deepEqual(again.bytes, wanted.bytes);
});

Deno.test("the order of a placement is drawn from its stream, and its padding is freed at its end", async () => {
  const device = await Device.open();
  try {
    const items = Array.from({ length: 20 }, (_, i) => i);
    const shuffled = (seed: number) => new Placement(device, new RandomStream(seed)).shuffle(items);
    assert.deepEqual(shuffled(1), shuffled(1));
    assert.notDeepEqual(shuffled(1), shuffled(2));
    assert.deepEqual(shuffled(1).sort((a, b) => a - b), items);
    const before = device.bytes;
    const placement = new Placement(device, new RandomStream(1));
    const padded = Array.from({ length: 4 }, () => {
      const own = device.bytes;
      const buffer = placement.buffer("one", 64, GPUBufferUsage.STORAGE);
      const padding = device.bytes - own - buffer.size;
      assert.ok(padding > 0 && padding <= 65536 && padding % 256 === 0, `${padding}`);
      return { buffer, padding };
    });
    assert.ok(new Set(padded.map(({ padding }) => padding)).size > 1);
    placement.end();
    assert.equal(device.bytes - before, 4 * 64);
    for (const { buffer } of padded) device.free(buffer);
  } finally {
    device.destroy();
  }
});
