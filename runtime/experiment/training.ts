/**
 * Trainings from scratch after the measured rounds, each in its own session: to a target, or with several seeds.
 *
 * @module
 */
import { type CompiledVariant, loaderLayout } from "../compile/variant.ts";
import type { DatasetDescription } from "../data/describe.ts";
import { createLoader } from "../data/loader/create_loader.ts";
import type { Device } from "../device/device.ts";
import type { SlotPool } from "../engine/slot_pool.ts";
import type { Feed } from "../trainer/feed/feed.ts";
import type { Config } from "../scenario/config.ts";
import { Session } from "../trainer/session.ts";

/** Number of steps over which a loss is averaged, since the loss of one batch is noisy. */
export const LOSS_WINDOW = 10;

/** Model, data and device of a training. */
export interface Training {
  readonly config: Config;
  readonly dataset: DatasetDescription;
  readonly compiled: CompiledVariant;
  readonly device: Device;
  readonly slots: SlotPool;
  shouldStop(): boolean;
  onStep(done: number): void;
}

/** A training that runs. */
export interface RunningTraining {
  readonly feed: Feed;
  readonly session: Session;
  /** Settings with the seed of this training. */
  readonly config: Config;
}

/** Begins a training with a seed, and ends it after `work`. */
export async function withTraining<T>(
  { config: given, dataset, compiled, device, slots, shouldStop }: Training,
  { seed, label }: { readonly seed: number; readonly label: string },
  work: (training: RunningTraining) => Promise<T>,
): Promise<T> {
  const config = { ...given, seed };
  const layout = loaderLayout(dataset, config);
  await using loader = await createLoader(config.data, { ...config.loader, seed, split: "train", layout, shouldStop });
  const session = await Session.create(device, slots, compiled, { seed, label });
  const { monitor, timing } = config;
  const { feed } = session.feed(loader, { monitor, timing, timestamps: false, recorder: null, shouldStop });
  try {
    return await work({ feed, session, config });
  } finally {
    feed.free();
    session.free();
  }
}
