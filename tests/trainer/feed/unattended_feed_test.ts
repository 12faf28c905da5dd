import { deepEqual, equal, ok } from "node:assert/strict";
import { describeDataset } from "../../../runtime/data/describe.ts";
import { createLoader } from "../../../runtime/data/loader/create_loader.ts";
import { Device } from "../../../runtime/device/device.ts";
import { SlotPool } from "../../../runtime/engine/slot_pool.ts";
import { RESIDENT_BATCHES } from "../../../runtime/trainer/feed/feed.ts";
import { UnattendedFeed } from "../../../runtime/trainer/feed/unattended_feed.ts";
import { resolveScenario } from "../../../runtime/scenario/resolve.ts";
import { compileVariant, loaderLayout } from "../../../runtime/compile/variant.ts";
import { Session } from "../../../runtime/trainer/session.ts";
import { images } from "./experiments.ts";

const { config } = resolveScenario(images()).variants[0]!;

async function withSession(
  test: (made: ReturnType<Session["feed"]>, device: Device) => Promise<void>,
  shouldStop = () => false,
): Promise<void> {
  const dataset = describeDataset(config.data);
  const device = await Device.open();
  try {
    const compiled = compileVariant(config, dataset, device.traits);
    const slots = new SlotPool(device);
    slots.reserve(compiled.plan.slots);
    const session = await Session.create(device, slots, compiled, { seed: 1, label: "test" });
    const layout = loaderLayout(dataset, config);
    await using loader = await createLoader(config.data, { ...config.loader, seed: 1, split: "train", layout });
    await test(session.feed(loader, { monitor: "block", timestamps: true, recorder: null, shouldStop }), device);
    session.free();
    slots.free();
  } finally {
    device.destroy();
  }
}

Deno.test("unattended steps share submits and one wait", async () => {
  await withSession(async ({ feed, context, timestamps }, device) => {
    await feed.run(1);
    await timestamps?.read();
    const before = { ...device.counts };
    const fed = await new UnattendedFeed(context, 100).run(12);
    equal(device.counts.submits - before.submits, 3, "5 steps per submit, half a second at the given step time");
    equal(device.counts.waits - before.waits, 1);
    equal(device.counts.uploads - before.uploads, 0);
    equal(fed.steps.length, 12);
    ok(Math.abs(fed.wall / 12 - fed.steps[0]!.batchCost) < 1e-9);
    if (timestamps !== null) equal((await timestamps.read()).length, 12 * context.executor.phases.length);
  });
});

Deno.test("an interrupted run stops between submits", async () => {
  let stop = false;
  await withSession(async ({ context }) => {
    const fed = await new UnattendedFeed(context, 1000).run(10, {
      onStep: (done) => {
        stop = done === 2;
      },
    });
    deepEqual([fed.steps.length, fed.interrupted], [2, true]);
  }, () => stop);
});

Deno.test("resident batches are neither created nor copied", async () => {
  await withSession(async ({ feed, timestamps }, device) => {
    await feed.run(1);
    const before = device.counts.uploadBytes;
    const fed = await feed.run(4, { source: RESIDENT_BATCHES });
    equal(device.counts.uploadBytes, before);
    equal(fed.outcomes.length, 4);
    ok(fed.outcomes.every(({ loss }) => Number.isFinite(loss)));
    ok(fed.outcomes[3]!.loss < fed.outcomes[0]!.loss, "four steps on one batch learn it");
    await timestamps?.read();
  });
});
