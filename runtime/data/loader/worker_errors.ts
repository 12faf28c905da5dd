import { InputError } from "../../core/errors.ts";
import { whereOf } from "../readers/readers.ts";
import type { BatchPlan } from "./batch_plan.ts";
import type { Ring } from "./ring.ts";
import { seconds } from "./sample_error.ts";

const MEND = "run with loader.numWorkers=0 to see the cause on the main thread";

/** What users are told of workers that end, hang or fail. Batches are given by their numbers in the ring. */
export class WorkerErrors {
  readonly #plan: BatchPlan;
  readonly #ring: Ring;
  readonly #startBatch: number;

  constructor(plan: BatchPlan, ring: Ring, startBatch: number) {
    this.#plan = plan;
    this.#ring = ring;
    this.#startBatch = startBatch;
  }

  /** A worker that has ended while batch k is due. */
  gone(k: number, worker: number, end: string): InputError {
    const claimed = this.#ring.claimed(worker);
    const sample = this.#ring.sample(worker);
    const at = sample === null ? "" : `, at sample ${sample}${this.#file(sample)}`;
    const doing = claimed < 0 ? "before its first batch" : `while it made batch ${this.#startBatch + claimed}${at}`;
    return new InputError(`${this.#name(worker)} ${end}, ${doing} (batch ${this.#startBatch + k} is due); ${MEND}`);
  }

  /** A worker that has not answered for `waited` milliseconds while it makes batch k; null where none has begun it. */
  stuck(k: number, worker: number | null, waited: number): InputError {
    const batch = this.#startBatch + k;
    if (worker === null) {
      return new InputError(`No data worker has begun batch ${batch} in ${seconds(waited)}; ${MEND}`);
    }
    const sample = this.#ring.sample(worker);
    const place = sample === null
      ? `before the first sample of batch ${batch}, for ${seconds(waited)}`
      : `in sample ${sample} of batch ${batch}${this.#file(sample)}: ${this.silence(waited)}`;
    return new InputError(`${this.#name(worker)} is stuck ${place}; ${MEND}`);
  }

  /** How long there was no answer, and how long it is waited for. */
  silence(waited: number): string {
    return `no answer in ${seconds(waited)} (loader.timeout=${this.#plan.timeout})`;
  }

  /** A failure that a worker has handed over; that of a source that did not answer names the worker too. */
  failed({ worker, message }: { readonly worker: number; readonly message: string }): InputError {
    return new InputError(message.includes("loader.timeout") ? `${this.#name(worker)}: ${message}` : message);
  }

  #name(worker: number): string {
    return `Data worker ${worker} of ${this.#ring.workers}`;
  }

  /** ` (own.ts)`; empty where the sample comes from no file. */
  #file(sample: number): string {
    const where = whereOf(this.#plan.source, sample);
    return where === null ? "" : ` (${where})`;
  }
}
