import { describeMemory } from "../../compile/budget.ts";
import { type CompiledVariant, loaderLayout } from "../../compile/variant.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { DeviceMemoryError } from "../../core/errors.ts";
import type { DatasetDescription } from "../../data/describe.ts";
import { createLoader } from "../../data/loader/create_loader.ts";
import type { Loader } from "../../data/loader/loader.ts";
import type { Device } from "../../device/device.ts";
import type { TimestampRecorder } from "../../device/timestamps.ts";
import type { SlotPool } from "../../engine/slot_pool.ts";
import type { Feed, FeedContext } from "../../trainer/feed/feed.ts";
import { LoaderFeed } from "../../trainer/feed/loader_feed.ts";
import type { Recorder } from "../../record/recorder.ts";
import type { Config } from "../../scenario/config.ts";
import { Session } from "../../trainer/session.ts";
import type { OnProgress } from "../arm.ts";

/** Paused loader, feed and session of a variant. */
export interface Prepared {
  readonly loader: Loader;
  readonly feed: Feed;
  /** Session; null without a model, like the following fields. */
  readonly session: Session | null;
  readonly context: FeedContext | null;
  readonly timestamps: TimestampRecorder | null;
}

/** Facts about a prepared variant for the analysis. */
export interface PreparedFacts {
  readonly loader: Pick<Loader, "numWorkers" | "choice" | "slots">;
  /** True if the feed measures several steps at once. */
  readonly amortised: boolean;
}

export interface PrepareOptions {
  readonly name: string;
  /** Settings of this rank. */
  readonly config: Config;
  /** Ranks that share the training; null on one. */
  readonly cluster: Cluster | null;
  readonly dataset: DatasetDescription;
  readonly recorder: Recorder;
  /** Index of the first batch. */
  readonly firstBatch: number;
  /** Called while pipelines are created, with the number of those done and of all. */
  readonly onKernel?: OnProgress | undefined;
  /** Called while the cache is filled, with the samples in it and in the split. */
  readonly onFill?: OnProgress | undefined;
  shouldStop(): boolean;
}

/** Plan and device of a variant with a model. */
export interface OnDevice {
  readonly compiled: CompiledVariant;
  readonly device: Device;
  readonly slots: SlotPool;
}

/** Starts the loader. With a model, also allocates buffers and creates pipelines. */
export async function prepareVariant(options: PrepareOptions, onDevice: OnDevice | null): Promise<Prepared> {
  const { name, config, cluster, dataset, recorder, firstBatch: startBatch, shouldStop } = options;
  const { seed, monitor, timing } = config;
  const layout = loaderLayout(dataset, config);
  const loader = await createLoader(config.data, {
    ...config.loader,
    ...{ seed, split: "train", startBatch, layout, shouldStop },
    ...options.onFill === undefined ? {} : { onFill: options.onFill },
    ...cluster === null ? {} : { part: { rank: cluster.rank, ranks: cluster.size } },
  });
  if (onDevice === null) {
    const feed = new LoaderFeed(loader, recorder, shouldStop);
    loader.pause();
    return { loader, feed, session: null, context: null, timestamps: null };
  }
  const { compiled, device, slots } = onDevice;
  let session: Session | null = null;
  try {
    session = await Session.create(device, slots, compiled, { seed, label: name, onKernel: options.onKernel });
    const { distribute } = config;
    const distribution = cluster === null || distribute === null ? null : { cluster, ...distribute, seed };
    const made = session.feed(loader, { monitor, timing, timestamps: true, recorder, shouldStop, distribution });
    if (config.evaluate !== null) {
      await session.evaluation();
      session.evaluationScores();
    }
    await device.settle();
    loader.pause();
    return { loader, session, ...made };
  } catch (error) {
    session?.free();
    await loader.close();
    if (!(error instanceof DeviceMemoryError)) throw error;
    await device.settle().catch(() => {}); // errors that follow from it
    throw new DeviceMemoryError(`${error.event}; variant "${name}" plans ${describeMemory(compiled.memory)}`, {
      cause: error,
    });
  }
}

/** Runs work with a prepared variant's loader, which is paused again afterwards. */
export async function whileActive(
  { loader }: Pick<Prepared, "loader">,
  work: () => Promise<void>,
): Promise<void> {
  loader.resume();
  try {
    await work();
  } finally {
    loader.pause();
  }
}
