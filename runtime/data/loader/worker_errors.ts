import { InputError } from "../../core/errors.ts";
import { whereOf } from "../readers/readers.ts";
import type { BatchPlan } from "./batch_plan.ts";
import type { Ring } from "./ring.ts";
import { seconds } from "./sample_error.ts";

const FIX = "run with loader.numWorkers=0 to see the cause on the main thread";

/** Error messages for workers that end, hang or fail. Batches are numbers in the ring. */
export class WorkerErrors {
  readonly #plan: BatchPlan;
  readonly #ring: Ring;
  readonly #startBatch: number;

  constructor(plan: BatchPlan, ring: Ring, startBatch: number) {
    this.#plan = plan;
    this.#ring = ring;
    this.#startBatch = startBatch;
  }

  /** Error for a worker that has ended, while batch k is due. */
  gone(k: number, worker: number, end: string): InputError {
    const claimed = this.#ring.claimed(worker);
    const sample = this.#ring.sample(worker);
    const at = sample === null ? "" : `, at sample ${sample}${this.#file(sample)}`;
    const doing = claimed < 0 ? "before its first batch" : `while it made batch ${this.#startBatch + claimed}${at}`;
    return new InputError(`${this.#name(worker)} ${end}, ${doing} (batch ${this.#startBatch + k} is due); ${FIX}`);
  }

  /** Error for a worker that has not answered for `waited` ms while it makes batch k; null if none has begun it. */
  stuck(k: number, worker: number | null, waited: number): InputError {
    const batch = this.#startBatch + k;
    if (worker === null) {
      return new InputError(`No data worker has begun batch ${batch} in ${seconds(waited)}; ${FIX}`);
    }
    const sample = this.#ring.sample(worker);
    const place = sample === null
      ? `before the first sample of batch ${batch}, for ${seconds(waited)}`
      : `in sample ${sample} of batch ${batch}${this.#file(sample)}: ${this.noAnswer(waited)}`;
    return new InputError(`${this.#name(worker)} is stuck ${place}; ${FIX}`);
  }

  /** Describes a missing answer, with the time waited and the setting that limits it. */
  noAnswer(waited: number): string {
    return `no answer in ${seconds(waited)} (loader.timeout=${this.#plan.timeout})`;
  }

  /** Error for a failure that a worker has reported. A timeout of the source also names the worker. */
  failed({ worker, message }: { readonly worker: number; readonly message: string }): InputError {
    return new InputError(message.includes("loader.timeout") ? `${this.#name(worker)}: ${message}` : message);
  }

  #name(worker: number): string {
    return `Data worker ${worker} of ${this.#ring.workers}`;
  }

  /** Returns the sample's file as ` (own.ts)`, or an empty text if it has none. */
  #file(sample: number): string {
    const where = whereOf(this.#plan.source, sample);
    return where === null ? "" : ` (${where})`;
  }
}
