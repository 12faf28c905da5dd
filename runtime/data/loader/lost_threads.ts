import { InputError } from "../../core/errors.ts";
import { whereOf } from "../readers/readers.ts";
import type { BatchPlan } from "./batch_plan.ts";
import type { Ring } from "./ring.ts";
import { MOST_LOST } from "./ring_memory.ts";
import { sampleError } from "./sample_error.ts";

/**
 * The samples at which threads were lost, where wrong samples are replaced: each is taken for a wrong one from then on,
 * so that the batches are those that a source would give that fails there.
 */
export class LostThreads {
  readonly #plan: BatchPlan;
  readonly #ring: Ring;
  readonly #startBatch: number;
  readonly #samples = new Set<number>();
  /** Why each was lost. */
  readonly reasons: string[] = [];
  #count = 0;

  constructor(plan: BatchPlan, ring: Ring, startBatch: number) {
    this.#plan = plan;
    this.#ring = ring;
    this.#startBatch = startBatch;
  }

  /**
   * Takes note of a worker's thread that is gone.
   *
   * @param cause what became of it, such as `did not answer in 2 s`
   * @throws {InputError} if too many were lost already
   */
  add(worker: number, cause: string): void {
    const sample = this.#ring.sample(worker);
    const who = `data worker ${worker} of ${this.#ring.workers} ${cause}`;
    const told = sample === null ? new InputError(who) : sampleError(
      new InputError(who),
      sample,
      this.#startBatch + this.#ring.claimed(worker),
      whereOf(this.#plan.source, sample),
    );
    if (++this.#count > MOST_LOST) {
      throw new InputError(
        `${this.#count} threads of data workers were lost; loader.onError: "skip" replaces at most ${MOST_LOST}. ` +
          `The last: ${told.message}`,
      );
    }
    this.reasons.push(told.message);
    if (sample === null || this.#samples.has(sample)) return;
    this.#samples.add(sample);
    this.#ring.lose(sample);
  }
}
