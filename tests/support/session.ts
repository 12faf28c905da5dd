import { type CompiledVariant, compileVariant, loaderLayout } from "../../runtime/compile/variant.ts";
import { type DatasetDescription, describeDataset } from "../../runtime/data/describe.ts";
import { createLoader } from "../../runtime/data/loader/create_loader.ts";
import type { Loader } from "../../runtime/data/loader/loader.ts";
import { Device } from "../../runtime/device/device.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { SlotPool } from "../../runtime/engine/slot_pool.ts";
import type { Feed, FeedContext } from "../../runtime/trainer/feed/feed.ts";
import { Recorder } from "../../runtime/record/recorder.ts";
import type { Config } from "../../runtime/scenario/config.ts";
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

/** A variant's session on a device, without a loader. */
export interface OpenSession {
  readonly config: Config;
  readonly dataset: DatasetDescription;
  readonly device: Device;
  readonly compiled: CompiledVariant;
  readonly slots: SlotPool;
  readonly session: Session;
  /** Frees the session and its slots, which the end of the device would do, too. */
  free(): void;
}

/** Compiles a variant of a scenario and opens a session for it on a device, which is destroyed after `body`. */
export async function withOpenSession<T>(
  scenario: Scenario,
  body: (open: OpenSession) => Promise<T>,
  { variant, seed = 1, traits = {} }: {
    /** Default: the first. */
    readonly variant?: string;
    readonly seed?: number;
    /** Replace those of the device. */
    readonly traits?: Partial<DeviceTraits>;
  } = {},
): Promise<T> {
  const { variants } = resolveScenario(scenario);
  const { name, config } = variant === undefined ? variants[0]! : variants.find(({ name }) => name === variant)!;
  const dataset = describeDataset(config.data);
  const device = await Device.open();
  try {
    const compiled = compileVariant(config, dataset, { ...device.traits, ...traits });
    const slots = new SlotPool(device);
    slots.reserve(compiled.plan.slots);
    const session = await Session.create(device, slots, compiled, { seed, label: name });
    const free = () => {
      session.free();
      slots.free();
    };
    return await body({ config, dataset, device, compiled, slots, session, free });
  } finally {
    device.destroy();
  }
}

/** Sets up one variant of a scenario without an experiment. */
export async function withSession(
  scenario: Scenario,
  variant: string,
  body: (ready: ReadySession) => Promise<void>,
): Promise<void> {
  const { seed } = resolveScenario(scenario).variants.find(({ name }) => name === variant)!.config;
  await withOpenSession(scenario, async ({ config, dataset, device, session, free }) => {
    await using loader = await createLoader(config.data, {
      ...config.loader,
      seed,
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
    free();
  }, { variant, seed });
}
