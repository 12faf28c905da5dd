import { sharedNow } from "../../core/clock.ts";
import { InterruptedError } from "../../core/errors.ts";
import type { FieldArrays } from "../fields.ts";
import { BatchMaker } from "./batch_maker.ts";
import { allocateBatch, batchCount, batchesPerEpoch, type BatchPlan } from "./batch_plan.ts";
import { readLaps } from "./lap_log.ts";
import type { Batch, Loader, WorkerChoice } from "./loader.ts";
import type { LoaderCache } from "./loader_cache.ts";
import { LoaderMeter, type LoaderProfile } from "./meter.ts";

/** Interval in milliseconds at which a wait for a source polls whether to end. */
const POLL_MS = 50;

/** Options of a DirectLoader. */
export interface DirectLoaderOptions {
  readonly startBatch: number;
  readonly shouldStop: () => boolean;
  readonly choice: WorkerChoice | null;
  /** The plan's cache, closed with the loader; null without one, or if other loaders use it. */
  readonly cache: LoaderCache | null;
}

/** Makes each batch on the calling thread on request. */
export class DirectLoader implements Loader {
  readonly batchesPerEpoch: number;
  readonly numWorkers = 0;
  readonly slots = null;
  readonly choice: WorkerChoice | null;
  readonly #plan: BatchPlan;
  readonly #maker: BatchMaker;
  readonly #cache: LoaderCache | null;
  readonly #shouldStop: () => boolean;
  readonly #meter: LoaderMeter;
  /** Memory of released batches. */
  readonly #free: FieldArrays[] = [];
  #index: number;
  #failure: unknown = null;
  #waiting = false;
  #state: "open" | "paused" | "closed" = "open";

  private constructor(plan: BatchPlan, maker: BatchMaker, options: DirectLoaderOptions) {
    this.batchesPerEpoch = batchesPerEpoch(plan);
    this.choice = options.choice;
    this.#plan = plan;
    this.#maker = maker;
    this.#index = options.startBatch;
    this.#cache = options.cache;
    this.#shouldStop = options.shouldStop;
    this.#meter = new LoaderMeter(plan.batchSize, options.cache);
  }

  /** @throws {InputError} if the source cannot be opened */
  static async open(plan: BatchPlan, options: DirectLoaderOptions): Promise<DirectLoader> {
    return new DirectLoader(plan, await BatchMaker.open(plan), options);
  }

  async next(): Promise<Batch> {
    if (this.#state !== "open") throw new Error(`The loader is ${this.#state}`);
    if (this.#failure !== null) throw this.#failure;
    if (this.#waiting) throw new Error("Another call of next() is pending");
    if (this.#shouldStop()) throw new InterruptedError();
    const begin = performance.now();
    const beganAt = sharedNow();
    const index = this.#index;
    const memory = this.#free.pop() ?? allocateBatch(this.#plan);
    try {
      const pending = this.#maker.make(index, memory);
      if (pending !== undefined) await this.#await(pending);
    } catch (error) {
      this.#failure = error;
      throw error;
    }
    this.#index++;
    const ms = performance.now() - begin;
    this.#meter.add({
      worker: -1,
      beganAt,
      publishedAt: beganAt + ms,
      makeMs: ms,
      slotWaitMs: 0,
      publishMs: 0,
      skipped: this.#maker.skipped,
      warned: this.#maker.warned,
      timed: this.#maker.meter.timed,
      stages: this.#maker.meter.sums,
    }, null);
    const { meter } = this.#maker;
    let released = false;
    return {
      index,
      epoch: Math.floor(index / this.batchesPerEpoch),
      size: this.#plan.batchSize,
      count: batchCount(this.#plan, index),
      tensors: memory,
      waitMs: ms,
      workMs: ms,
      worker: null,
      beganAt,
      get stages() {
        const laps = meter.laps === null ? [] : readLaps(meter.laps);
        return { timed: meter.timed, names: meter.stages, ms: [...meter.sums], slotWaitMs: 0, laps };
      },
      release: () => {
        if (!released) this.#free.push(memory);
        released = true;
      },
    };
  }

  queueDepth(): number {
    return 0;
  }

  filledSlots(): null {
    return null;
  }

  trace(on: boolean): void {
    this.#maker.meter.tracing = on;
  }

  relocate(): void {
    this.#free.length = 0;
  }

  resetProfile(): void {
    this.#meter.reset();
  }

  profile(): LoaderProfile {
    const { meter, skipReason, warning } = this.#maker;
    return this.#meter.profile(meter.stages, [skipReason ?? []].flat(), [warning ?? []].flat());
  }

  pause(): void {
    if (this.#state === "open") this.#state = "paused";
  }

  resume(): void {
    if (this.#state === "paused") this.#state = "open";
  }

  close(): Promise<void> {
    if (this.#state !== "closed") {
      this.#maker.close();
      this.#cache?.close();
    }
    this.#state = "closed";
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Waits for a source that returns a promise, unless the run or the loader ends first. */
  async #await(pending: Promise<void>): Promise<void> {
    this.#waiting = true;
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const poll = setInterval(() => {
      if (this.#shouldStop()) reject(new InterruptedError());
      else if (this.#state === "closed") reject(new Error("The loader is closed"));
    }, POLL_MS);
    try {
      await Promise.race([pending, ended]);
    } finally {
      clearInterval(poll);
      this.#waiting = false;
    }
  }
}
