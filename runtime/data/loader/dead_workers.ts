import { InputError } from "../../core/errors.ts";
import { whereOf } from "../readers/readers.ts";
import type { BatchPlan } from "./batch_plan.ts";
import type { Ring } from "./ring.ts";
import { MAX_LOST } from "./ring_memory.ts";
import { sampleError } from "./sample_error.ts";

/**
 * Worker threads that have ended or hung, while invalid samples are replaced. Each sample at which a thread was lost counts
 * as invalid from then on, so that batches are the same as from a source that fails there.
 */
export class DeadWorkers {
  readonly #plan: BatchPlan;
  readonly #ring: Ring;
  readonly #startBatch: number;
  readonly #samples = new Set<number>();
  /** Reason of each loss. */
  readonly reasons: string[] = [];
  #count = 0;

  constructor(plan: BatchPlan, ring: Ring, startBatch: number) {
    this.#plan = plan;
    this.#ring = ring;
    this.#startBatch = startBatch;
  }

  /**
   * Records the loss of a worker's thread.
   *
   * @param cause a phrase such as `ended unexpectedly with exit status 9`
   * @throws {InputError} if too many are lost
   */
  add(worker: number, cause: string): void {
    const sample = this.#ring.sample(worker);
    const who = `data worker ${worker} of ${this.#ring.workers} ${cause}`;
    const { message } = sample === null ? new InputError(who) : sampleError(
      new InputError(who),
      sample,
      this.#startBatch + this.#ring.claimed(worker),
      whereOf(this.#plan.source, sample),
    );
    if (++this.#count > MAX_LOST) {
      throw new InputError(
        `${this.#count} threads of data workers were lost; loader.onError: "skip" replaces at most ${MAX_LOST}. ` +
          `The last one: ${message}`,
      );
    }
    this.reasons.push(message);
    if (sample === null || this.#samples.has(sample)) return;
    this.#samples.add(sample);
    this.#ring.lose(sample);
  }
}

/** Measures how long the worker that makes a batch has given no sign of life. */
export class Watchdog {
  readonly #ring: Ring;
  #worker: number | null = null;
  #beats = -1;
  /** Counted in slices instead of clock time: a suspended process has not waited. */
  #ms = 0;

  constructor(ring: Ring) {
    this.#ring = ring;
  }

  /** Records that another `ms` milliseconds have passed; returns the milliseconds without a sign of life. */
  add(worker: number | null, ms: number): number {
    const beats = worker === null ? -1 : this.#ring.beats(worker);
    if (worker !== this.#worker || beats !== this.#beats) this.#ms = 0;
    this.#worker = worker;
    this.#beats = beats;
    return this.#ms += ms;
  }
}
