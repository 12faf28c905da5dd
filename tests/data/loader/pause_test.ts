import assert from "node:assert/strict";
import { syntheticImages } from "../../../runtime/data/sources/synthetic_images.ts";
import { batchFields, type BatchPlan } from "../../../runtime/data/loader/batch_plan.ts";
import { Ring } from "../../../runtime/data/loader/ring.ts";
import { allocateRing } from "../../../runtime/data/loader/ring_memory.ts";
import { serve } from "../../../runtime/data/loader/serve.ts";
import { samplePlan } from "../../../runtime/data/describe.ts";
import * as t from "../../../runtime/data/transforms/factories.ts";

const SAMPLE_MS = 2;
const PAUSE_MS = 1000;

/**
 * Returns a worker's records of its batches, by a clock that only the test advances. The worker runs on this thread;
 * `onSample` is called while each sample is made, and `waits` are called in turn while it is parked.
 */
async function recordsOf(
  waits: readonly ((ring: Ring, clock: { now: number }) => void)[],
  onSample: (ring: Ring, samples: number) => void,
): Promise<{ makeMs: number; slotWaitMs: number; stages: number }[]> {
  const clock = { now: 0 };
  let samples = 0;
  const tick = t.map(function tick() {
    clock.now += SAMPLE_MS;
    onSample(ring, ++samples);
  });
  const spec = syntheticImages({ height: 2, width: 2, classes: 3, length: 64, transforms: [tick] });
  const plan: BatchPlan = {
    ...samplePlan(spec, { split: "train", layout: "nhwc", seed: 1 }),
    ...{
      batchSize: 4,
      part: { rank: 0, ranks: 1 },
      shuffle: false,
      shuffleBuffer: 1,
      dropLast: true,
      onError: "fail",
      timeout: 1000,
      openTimeout: 10_000,
    },
  };
  const sizes = { fields: batchFields(plan), stagesBytes: 64 };
  const memory = allocateRing({ slots: 2, workers: 1, holdsBatches: true, ...sizes });
  const ring = new Ring(memory);
  const records: Awaited<ReturnType<typeof recordsOf>> = [];
  /** Reads batches in the ring that are not read yet. */
  const look = () => {
    for (let k = records.length; ring.ready(k); k++) {
      const { makeMs, slotWaitMs, stages } = ring.record(k);
      records.push({ makeMs, slotWaitMs, stages: Array.from(stages).reduce((sum, ms) => sum + ms, 0) });
    }
  };
  const queue = waits.values();
  const { now } = performance;
  const { wait } = Atomics;
  performance.now = () => clock.now;
  Atomics.wait = () => {
    look();
    const { done, value: happen = () => ring.close() } = queue.next();
    happen(ring, clock);
    return done ? "ok" : "not-equal";
  };
  try {
    await serve({ worker: 0, generation: ring.renew(0), left: null, plan, memory, startBatch: 0 });
  } finally {
    performance.now = now;
    Atomics.wait = wait;
  }
  assert.equal(queue.next().done, true, "the worker was parked once per wait");
  return records;
}

function passAndResume(ring: Ring, clock: { now: number }): void {
  clock.now += PAUSE_MS;
  ring.resume();
}

Deno.test("a pause counts neither as a stage nor as making a batch nor as waiting for a slot", async () => {
  const records = await recordsOf([
    passAndResume, // while the first batch is made
    (ring, clock) => { // while the third waits for its slot, which becomes free after the pause
      ring.pause();
      passAndResume(ring, clock);
    },
    (ring, clock) => {
      clock.now += 7;
      ring.release(0);
    },
    (ring) => { // the fourth gets its slot while the ring is paused
      ring.pause();
      ring.release(1);
    },
    passAndResume,
  ], (ring, samples) => {
    if (samples === 2) ring.pause();
  });
  assert.deepEqual(records.map(({ makeMs, slotWaitMs }) => [makeMs, slotWaitMs]), [
    [4 * SAMPLE_MS, 0],
    [4 * SAMPLE_MS, 0],
    [4 * SAMPLE_MS, 7],
    [4 * SAMPLE_MS, 0],
  ]);
  for (const { makeMs, stages } of records) assert.ok(stages <= makeMs, `${stages} ms in stages`);
});
