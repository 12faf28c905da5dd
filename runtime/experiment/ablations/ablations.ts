import { setTimeout } from "node:timers/promises";
import {
  ABLATION_NAMES,
  type AblationBlock,
  type AblationName,
  type MeasuredAblations,
} from "../../analysis/bottleneck/measured_ablations.ts";
import { hashText, RandomStream } from "../../core/random.ts";
import type { Loader } from "../../data/loader/loader.ts";
import type { Device } from "../../device/device.ts";
import type { TimestampRecorder } from "../../device/timestamps.ts";
import type { Executor } from "../../engine/executor.ts";
import { type FedBlock, type Feed, type FeedContext, RESIDENT_BATCHES } from "../../trainer/feed/feed.ts";
import { LoaderFeed } from "../../trainer/feed/loader_feed.ts";
import { UnattendedFeed } from "../../trainer/feed/unattended_feed.ts";
import { cleanPasses } from "../../record/device_samples.ts";
import type { Session } from "../../trainer/session.ts";

/** Minimum time of a block in ms, long enough to average out bursts of other work. */
const BLOCK_MS = 120;

/** Steps longer than this form a block alone, in ms. */
const LONG_STEP_MS = 1000;

const MAX_STEPS = 40;

/** Time after which no new round starts, given the minimum number of rounds, in ms. */
const MAX_MS = 12_000;

const ROUNDS = { least: 5, most: 9 } as const;

/** Steps per block, a multiple of the steps per submission, and number of rounds. */
export interface AblationSchedule {
  readonly steps: number;
  readonly rounds: { readonly least: number; readonly most: number };
  readonly mostMs: number;
}

/**
 * Chooses the length and number of blocks.
 *
 * @param stepMs time of the whole step in ms
 * @param unit steps per submission
 */
export function ablationSchedule(stepMs: number, unit: number): AblationSchedule {
  const enough = Math.ceil(BLOCK_MS / Math.max(stepMs, 0.01));
  const steps = Math.min(MAX_STEPS, Math.max(stepMs > LONG_STEP_MS ? 1 : 2, enough));
  return { steps: Math.ceil(steps / unit) * unit, rounds: ROUNDS, mostMs: MAX_MS };
}

/** A measured variant to ablate. */
export interface AblationsOptions {
  readonly session: Session;
  readonly device: Device;
  /** Paused. */
  readonly loader: Loader;
  /** Feed of the variant, and its context. */
  readonly feed: Feed;
  readonly context: FeedContext;
  readonly timestamps: TimestampRecorder | null;
  /** Steps per submission. */
  readonly unit: number;
  /** Measured step time in ms. */
  readonly stepMs: number;
  readonly seed: number;
  shouldStop(): boolean;
  onRound?(done: number, all: number): void;
}

/** Maximum time to wait for the loader to refill its queue, in ms. */
const REFILL_MS = 2000;

/** The variant's full step, or an ablation of it. */
interface Ablation {
  readonly name: AblationName | "whole";
  readonly feed: Feed;
  readonly executor: Executor;
  readonly loads: boolean;
}

/**
 * Runs a variant's full step and its ablations, in rounds with a block of each in random order. Restores the
 * training state afterwards.
 *
 * @returns the times, or null if interrupted before the end of the first round
 */
export async function runAblations(options: AblationsOptions): Promise<MeasuredAblations | null> {
  const { session } = options;
  const snapshot = session.state.snapshot();
  const nothing = await session.nullExecutor();
  try {
    return await new Ablations(options, nothing).run();
  } finally {
    options.loader.pause();
    nothing.free();
    session.state.restore(snapshot);
  }
}

class Ablations {
  readonly #options: AblationsOptions;
  readonly #ablations: readonly Ablation[];
  readonly #loaderFeed: Feed;
  readonly #blocks = new Map<string, AblationBlock[]>();
  /** Ready batches when an ablation's last block ended. */
  readonly #depths = new Map<string, number>();
  #lastTimestamp = 0n;

  constructor(options: AblationsOptions, nothing: Executor) {
    this.#options = options;
    const { session, feed, context, loader, stepMs } = options;
    const { executor } = session;
    this.#loaderFeed = new LoaderFeed(loader, null, () => options.shouldStop());
    const all: Record<Ablation["name"], Omit<Ablation, "name">> = {
      "whole": { feed, executor, loads: true },
      "input only": { feed: this.#loaderFeed, executor, loads: true },
      "synthetic input": { feed, executor, loads: false },
      "no host waits": { feed: new UnattendedFeed(context, stepMs), executor, loads: false },
      "null kernels": { feed, executor: nothing, loads: true },
    };
    this.#ablations = (["whole", ...ABLATION_NAMES] as const).map((name) => ({ name, ...all[name] }));
    for (const { name } of this.#ablations) this.#blocks.set(name, []);
  }

  async run(): Promise<MeasuredAblations | null> {
    const { unit, stepMs, seed, loader } = this.#options;
    const { steps, rounds, mostMs } = ablationSchedule(stepMs, unit);
    // Warm-up: compiles the null kernels, leaves a batch on the device, and fills or empties the loader's queue
    for (const ablation of this.#ablations) {
      if (await this.#block(ablation, ablation.loads ? loader.slots ?? 1 : 1) === null) return null;
    }
    const start = performance.now();
    let done = 0;
    while (done < rounds.most && (done < rounds.least || performance.now() - start < mostMs)) {
      const order = new RandomStream(seed, hashText("arms"), done).permutation(this.#ablations.length);
      const round = new Map<string, AblationBlock>();
      for (const index of order) {
        const ablation = this.#ablations[index]!;
        const block = await this.#block(ablation, steps);
        if (block === null) return this.#result(done);
        round.set(ablation.name, { ...block, round: done });
      }
      // An interrupted round is discarded as a whole
      for (const [name, block] of round) this.#blocks.get(name)!.push(block);
      this.#options.onRound?.(++done, rounds.most);
    }
    return this.#result(done);
  }

  #result(rounds: number): MeasuredAblations | null {
    if (rounds === 0) return null;
    const { feed, loader, device } = this.#options;
    return {
      overlapped: feed.amortised,
      contended: loader.numWorkers > 0 && device.info.fallback,
      whole: this.#blocks.get("whole")!,
      ablations: new Map(ABLATION_NAMES.map((name) => [name, this.#blocks.get(name)!])),
    };
  }

  /** Runs a block of an ablation. Returns null if interrupted. */
  async #block(ablation: Ablation, steps: number): Promise<Omit<AblationBlock, "round"> | null> {
    const { device, loader, unit } = this.#options;
    if (ablation.loads) loader.resume();
    let fed: FedBlock;
    try {
      if (ablation.loads) await this.#settleQueue(ablation);
      await this.#deviceTime();
      const all = Math.ceil(steps / unit) * unit;
      fed = await ablation.feed.run(all, {
        executor: ablation.executor,
        source: ablation.loads ? loader : RESIDENT_BATCHES,
        onStep: (done) => {
          if (done === all) this.#depths.set(ablation.name, loader.queueDepth());
        },
      });
    } finally {
      loader.pause();
    }
    const busy = await this.#deviceTime();
    await device.settle();
    const count = fed.steps.length;
    if (fed.interrupted || count === 0) return null;
    const mean = (key: "readerCost" | "letData") => fed.steps.reduce((sum, step) => sum + step[key], 0) / count;
    return {
      steps: count,
      batchCost: fed.wall / count,
      readerCost: mean("readerCost"),
      letData: mean("letData"),
      device: busy === null ? null : busy / count,
    };
  }

  /**
   * Restores the length that the loader's queue had after the ablation's last block. Batches loaded during other ablations
   * would be free, and batches taken by them would cause waits.
   */
  async #settleQueue({ name }: Ablation): Promise<void> {
    const { loader, shouldStop } = this.#options;
    const depth = this.#depths.get(name);
    if (depth === undefined) return;
    const excess = loader.queueDepth() - depth;
    if (excess > 0) await this.#loaderFeed.run(excess);
    const end = performance.now() + REFILL_MS;
    while (loader.queueDepth() < depth && performance.now() < end && !shouldStop()) await setTimeout(1);
  }

  /** Returns the time of all passes since the last call in ms, or null. Passes with bad timestamps count as average. */
  async #deviceTime(): Promise<number | null> {
    const { passes, last } = cleanPasses(await this.#options.timestamps?.read() ?? [], this.#lastTimestamp);
    this.#lastTimestamp = last;
    const times = passes.flatMap((pass) => pass === null ? [] : [Number(pass.end - pass.begin) / 1e6]);
    if (times.length === 0) return null;
    return times.reduce((sum, time) => sum + time, 0) / times.length * passes.length;
  }
}
