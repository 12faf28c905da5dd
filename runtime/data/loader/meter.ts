/**
 * What a loader's batches took, added up where they are consumed.
 *
 * @module
 */
import { type BatchRecord, MAX_STAGES } from "./batch_record.ts";

/** What one thread did, over the batches that were taken. Times in milliseconds. */
export interface ThreadProfile {
  /** The worker's number; -1 for the main thread. */
  readonly worker: number;
  readonly batches: number;
  readonly samples: number;
  /** Making batches: the sum, the shortest and the longest. */
  readonly make: { readonly sum: number; readonly min: number; readonly max: number };
  /** Waiting for a free slot, because the consumer was slower. */
  readonly slotWait: number;
  /** Samples whose stages were timed, and the time of each stage over them. */
  readonly timed: number;
  readonly stages: readonly number[];
}

/** What all threads did. */
export interface LoaderProfile {
  /** The names of the stages, in the order of `ThreadProfile.stages`; empty before the first batch. */
  readonly stages: readonly string[];
  readonly threads: readonly ThreadProfile[];
  /** Handing batches over, on both sides: milliseconds. Null where they are made on the main thread. */
  readonly handOver: { readonly sum: number; readonly max: number } | null;
  readonly batches: number;
  readonly samples: number;
  /** Samples that could not be made and were replaced by others since the start, and why the first ones could not. */
  readonly skipped: number;
  readonly skipReasons: readonly string[];
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

/** Adds up the records of batches. */
export class LoaderMeter {
  readonly #batchSize: number;
  readonly #threads = new Map<number, Thread>();
  #handOver: { sum: number; max: number } | null = null;
  #batches = 0;
  #skipped = 0;

  constructor(batchSize: number) {
    this.#batchSize = batchSize;
  }

  /** Forgets what was before, all but the samples that were skipped: the first batches, which do not count. */
  reset(): void {
    this.#threads.clear();
    this.#handOver = null;
    this.#batches = 0;
  }

  /** @param handOver milliseconds; null where nothing is handed over */
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
    if (handOver !== null) {
      const { sum, max } = this.#handOver ?? { sum: 0, max: 0 };
      this.#handOver = { sum: sum + handOver, max: Math.max(max, handOver) };
    }
  }

  profile(stages: readonly string[], skipReasons: readonly string[]): LoaderProfile {
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
