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
import type { ProgressStage } from "../result/run_event.ts";
import type { Config } from "../scenario/config.ts";
import { Session } from "../trainer/session.ts";
import type { Attempts } from "./attempts.ts";
import type { Planned } from "./planning.ts";
import { roundOrder } from "./rounds/order.ts";
import type { RunProgress } from "./run_progress.ts";
import type { VariantArm } from "./variant/variant_arm.ts";

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

/** Variants to train again with several seeds. */
export interface Trainings extends Pick<Attempts, "attempt"> {
  /** Seed of the first training, incremented for each further one. */
  readonly seed: number;
  readonly variants: readonly (Planned & { readonly run: VariantArm })[];
  readonly device: Device;
  readonly slots: SlotPool;
  readonly progress: RunProgress;
  interrupted(): boolean;
}

/**
 * Trains each variant with an optimizer from scratch with `seeds` seeds, one seed at a time in a balanced order.
 *
 * @param steps steps of a training, for the progress
 * @param train trains once; null ends the arm as interrupted
 * @param keep takes the outcomes of a variant so far, after each of them
 */
export async function trainEach<T>(
  { seed: first, variants, device, slots, progress, attempt, interrupted: shouldStop }: Trainings,
  { seeds, stage, steps }: { readonly seeds: number; readonly stage: ProgressStage; readonly steps: number },
  train: (run: VariantArm, seed: number, training: Training) => Promise<T | null>,
  keep: (run: VariantArm, outcomes: readonly T[]) => void,
): Promise<void> {
  const trained = variants.filter(({ variant }) => variant.config.optimizer !== null);
  const outcomes = new Map<VariantArm, T[]>(trained.map(({ run }) => [run, []]));
  for (let i = 0; i < seeds; i++) {
    for (const index of roundOrder(trained.length, first, i)) {
      const { run, variant: { config }, dataset } = trained[index]!;
      const message = `seed ${i + 1}/${seeds}`;
      await attempt(run, async () => {
        const onStep = (done: number) => progress.at(run.name, stage, done, steps, { message });
        const training = { config, dataset, compiled: run.compiled!, device, slots, shouldStop, onStep };
        const outcome = await train(run, (first + i) % 2 ** 32, training);
        if (outcome === null) return run.interrupt();
        const own = outcomes.get(run)!;
        own.push(outcome);
        keep(run, own);
      });
    }
  }
}
