import { compileVariant, loaderLayout } from "../../runtime/compile/variant.ts";
import { describeDataset } from "../../runtime/data/describe.ts";
import { createLoader } from "../../runtime/data/loader/create_loader.ts";
import type { Loader } from "../../runtime/data/loader/loader.ts";
import { Device } from "../../runtime/device/device.ts";
import { SlotPool } from "../../runtime/engine/slot_pool.ts";
import type { Feed, FeedContext } from "../../runtime/feed/feed.ts";
import { Recorder } from "../../runtime/record/recorder.ts";
import type { Scenario } from "../../runtime/scenario/definition.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { Session } from "../../runtime/trainer/session.ts";

/** A variant's session on a device, ready for batches. */
export interface ReadySession {
  readonly device: Device;
  readonly session: Session;
  readonly loader: Loader;
  readonly feed: Feed;
  readonly context: FeedContext;
  readonly recorder: Recorder;
}

/** Sets up one variant of a scenario without an experiment. */
export async function withSession(
  scenario: Scenario,
  variant: string,
  body: (ready: ReadySession) => Promise<void>,
): Promise<void> {
  const { config } = resolveScenario(scenario).variants.find(({ name }) => name === variant)!;
  const dataset = describeDataset(config.data);
  const device = await Device.open();
  try {
    const compiled = compileVariant(config, dataset, device.traits);
    const slots = new SlotPool(device);
    slots.reserve(compiled.plan.slots);
    const session = await Session.create(device, slots, compiled, { seed: config.seed, label: variant });
    await using loader = await createLoader(config.data, {
      ...config.loader,
      seed: config.seed,
      split: "train",
      layout: loaderLayout(dataset, config),
    });
    const recorder = new Recorder();
    const options = {
      monitor: config.monitor,
      timing: config.timing,
      timestamps: true,
      recorder,
      shouldStop: () => false,
    };
    const { feed, context } = session.feed(loader, options);
    await body({ device, session, loader, feed, context, recorder });
    feed.free();
    session.free();
    slots.free();
  } finally {
    device.destroy();
  }
}
