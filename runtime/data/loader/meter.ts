/**
 * Measurements of a loader's batches, summed on the consumer's side.
 *
 * @module
 */
import { type BatchRecord, MAX_STAGES } from "./batch_record.ts";
import type { CacheProfile, LoaderCache } from "./loader_cache.ts";

/** Measurements of one thread over the consumed batches. Times are in milliseconds. */
export interface ThreadProfile {
  /** Number of the worker; -1 for the main thread. */
  readonly worker: number;
  readonly batches: number;
  readonly samples: number;
  /** Time to make batches: sum, minimum and maximum. */
  readonly make: { readonly sum: number; readonly min: number; readonly max: number };
  /** Time waited for a free slot, because the consumer was slower. */
  readonly slotWait: number;
  /** Number of samples whose stages were timed. */
  readonly timed: number;
  /** Time of each stage, summed over these samples. */
  readonly stages: readonly number[];
}

/** Measurements of all threads. */
export interface LoaderProfile {
  /** Names of the stages, in the order of `ThreadProfile.stages`; empty before the first batch. */
  readonly stages: readonly string[];
  readonly threads: readonly ThreadProfile[];
  /** Milliseconds to hand batches over, on both sides; null if they are made on the main thread. */
  readonly handOver: { readonly sum: number; readonly max: number } | null;
  readonly batches: number;
  readonly samples: number;
  /** Number of invalid samples that were replaced since the start. */
  readonly skipped: number;
  /** Reasons of the first ones. */
  readonly skipReasons: readonly string[];
  /** Number of samples since the start whose file has a problem that leaves them whole. */
  readonly warned: number;
  /** Warnings of the first ones. */
  readonly warnings: readonly string[];
  /** State of the cache; absent without one. */
  readonly cache?: CacheProfile;
}

interface Thread {
  batches: number;
  makeSum: number;
  makeMin: number;
  makeMax: number;
  slotWait: number;
  timed: number;
  readonly stages: Float64Array;
}

/** Sums the records of batches. */
export class LoaderMeter {
  readonly #batchSize: number;
  readonly #cache: LoaderCache | null;
  readonly #threads = new Map<number, Thread>();
  #handOver: { sum: number; max: number } | null = null;
  #batches = 0;
  #skipped = 0;
  #warned = 0;

  constructor(batchSize: number, cache: LoaderCache | null) {
    this.#batchSize = batchSize;
    this.#cache = cache;
  }

  /** Discards the measurements so far, such as those of warm-up batches, except the counts of skipped samples and warnings. */
  reset(): void {
    this.#threads.clear();
    this.#handOver = null;
    this.#batches = 0;
    this.#cache?.reset();
  }

  /** @param handOver milliseconds to hand the batch over; null on the main thread */
  add(record: BatchRecord, handOver: number | null): void {
    const thread = this.#thread(record.worker);
    thread.batches++;
    thread.makeSum += record.makeMs;
    thread.makeMin = Math.min(thread.makeMin, record.makeMs);
    thread.makeMax = Math.max(thread.makeMax, record.makeMs);
    thread.slotWait += record.slotWaitMs;
    thread.timed += record.timed;
    for (let i = 0; i < record.stages.length; i++) thread.stages[i]! += record.stages[i]!;
    this.#batches++;
    this.#skipped += record.skipped;
    this.#warned += record.warned;
    if (handOver !== null) {
      const { sum, max } = this.#handOver ?? { sum: 0, max: 0 };
      this.#handOver = { sum: sum + handOver, max: Math.max(max, handOver) };
    }
  }

  profile(stages: readonly string[], skipReasons: readonly string[], warnings: readonly string[]): LoaderProfile {
    const filling = this.#cache?.filling ?? null;
    const warned = this.#warned + (filling?.warned ?? 0);
    return {
      stages,
      threads: [...this.#threads].toSorted(([a], [b]) => a - b).map(([worker, thread]) => ({
        worker,
        batches: thread.batches,
        samples: thread.batches * this.#batchSize,
        make: { sum: thread.makeSum, min: thread.makeMin, max: thread.makeMax },
        slotWait: thread.slotWait,
        timed: thread.timed,
        stages: [...thread.stages.subarray(0, stages.length)],
      })),
      handOver: this.#handOver,
      batches: this.#batches,
      samples: this.#batches * this.#batchSize,
      skipped: this.#skipped,
      skipReasons: this.#skipped === 0 ? [] : skipReasons,
      warned,
      warnings: warned === 0 ? [] : [...filling?.warnings ?? [], ...warnings],
      ...this.#cache === null ? {} : { cache: this.#cache.profile() },
    };
  }

  #thread(worker: number): Thread {
    let thread = this.#threads.get(worker);
    if (thread === undefined) {
      thread = {
        batches: 0,
        makeSum: 0,
        makeMin: Infinity,
        makeMax: 0,
        slotWait: 0,
        timed: 0,
        stages: new Float64Array(MAX_STAGES),
      };
      this.#threads.set(worker, thread);
    }
    return thread;
  }
}
