import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { InterruptedError } from "../../core/errors.ts";
import { type FieldArrays, totalBytes } from "../fields.ts";
import { batchCount, batchesPerEpoch, batchFields, type BatchPlan } from "./batch_plan.ts";
import { type BatchRecord, sharedNow } from "./batch_record.ts";
import type { Batch, Loader, WorkerChoice } from "./loader.ts";
import { LoaderMeter, type LoaderProfile } from "./meter.ts";
import { LostThreads } from "./lost_threads.ts";
import { Ring } from "./ring.ts";
import { allocateRing, type RingMemory } from "./ring_memory.ts";
import { Silence } from "./silence.ts";
import { WorkerErrors } from "./worker_errors.ts";
import { WorkerThread } from "./worker_thread.ts";

/** What a WorkerLoader needs besides the plan. */
export interface WorkerLoaderOptions {
  readonly numWorkers: number;
  /** Batches that each worker may be ahead. */
  readonly prefetch: number;
  /** Batches lie in shared memory; else they are sent by structured clone. */
  readonly sharedMemory: boolean;
  readonly startBatch: number;
  readonly shouldStop: () => boolean;
  readonly workerUrl: URL;
  /** The longest time to a worker's first sample: milliseconds. */
  readonly startMs: number;
  readonly choice: WorkerChoice | null;
}

/** The most memory of a ring, as far as two slots fit: bytes. */
const RING_BYTES = 512 * 2 ** 20;

/** The thread blocks for a slice of the wait, and then lets the event loop turn: milliseconds. */
const FIRST_SLICE = 5;
const LAST_SLICE = 50;

/** Workers end by themselves when the ring is closed, after the sample at hand; later they are terminated: milliseconds. */
const CLOSE_MS = 500;

/** A worker that waits for a source gives up by itself; this much later it is taken to be stuck: milliseconds. */
const GRACE_MS = 1000;

/** A thread that is replaced has this long to finish what it does with the ring: milliseconds. */
const RETIRE_MS = 20;

/**
 * Batches from worker threads through a ring in shared memory. Where wrong samples are replaced, so is a thread that has
 * ended or does not answer: another one makes its batch, without the sample at which it was lost.
 */
export class WorkerLoader implements Loader {
  readonly batchesPerEpoch: number;
  readonly numWorkers: number;
  readonly slots: number;
  readonly choice: WorkerChoice | null;
  readonly #plan: BatchPlan;
  readonly #options: WorkerLoaderOptions;
  readonly #memory: RingMemory;
  readonly #ring: Ring;
  /** By the worker's number. */
  readonly #threads: WorkerThread[];
  readonly #lost: LostThreads;
  readonly #errors: WorkerErrors;
  readonly #meter: LoaderMeter;
  /** Batches that were sent and not yet taken, by their number in the ring. */
  readonly #sent = new Map<number, FieldArrays>();
  /** The ring's number of the next batch. */
  #next = 0;
  #waiting = false;
  #failure: Error | null = null;
  #state: "open" | "paused" | "closed" = "open";

  constructor(plan: BatchPlan, options: WorkerLoaderOptions) {
    this.batchesPerEpoch = batchesPerEpoch(plan);
    this.numWorkers = options.numWorkers;
    this.choice = options.choice;
    this.#plan = plan;
    this.#options = options;
    this.#meter = new LoaderMeter(plan.batchSize);
    this.#memory = allocateRing(ringSizes(plan, options));
    this.#ring = new Ring(this.#memory);
    this.#lost = new LostThreads(plan, this.#ring, options.startBatch);
    this.#errors = new WorkerErrors(plan, this.#ring, options.startBatch);
    this.slots = this.#memory.slots;
    this.#threads = Array.from({ length: options.numWorkers }, (_, worker) => this.#start(worker, null));
  }

  async next(): Promise<Batch> {
    if (this.#state !== "open") throw new Error(`The loader is ${this.#state}`);
    if (this.#failure !== null) throw this.#failure;
    if (this.#waiting) throw new Error("Another call of next() is pending");
    const begin = performance.now();
    const k = this.#next;
    const ring = this.#ring;
    const late = !this.#there(k);
    if (late) {
      this.#waiting = true;
      try {
        await this.#wait(k);
      } finally {
        this.#waiting = false;
      }
    }
    const failure = ring.failure(k);
    if (failure !== null) throw this.#fail(this.#errors.failed(failure));
    this.#next++;
    const record = ring.record(k);
    const batch = this.#batch(k, record, performance.now() - begin);
    // Where it was waited for, its way here began when it was published.
    const taking = late ? Math.max(0, sharedNow() - record.publishedAt) : performance.now() - begin;
    this.#meter.add(record, record.publishMs + taking);
    return batch;
  }

  queueDepth(): number {
    let depth = 0;
    while (depth < this.slots && this.#ring.ready(this.#next + depth)) depth++;
    return depth;
  }

  resetProfile(): void {
    this.#meter.reset();
  }

  profile(): LoaderProfile {
    const reasons = this.#threads.flatMap((_, worker) => this.#ring.skipReason(worker) ?? []);
    return this.#meter.profile(this.#names(), [...this.#lost.reasons, ...reasons]);
  }

  filledSlots(): readonly number[] {
    const filled = new Array<number>(this.numWorkers).fill(0);
    for (let ahead = 0; ahead < this.slots; ahead++) {
      const k = this.#next + ahead;
      if (this.#ring.ready(k)) filled[this.#ring.maker(k)]!++;
    }
    return filled;
  }

  trace(on: boolean): void {
    this.#ring.trace(on);
  }

  pause(): void {
    if (this.#state !== "open") return;
    this.#state = "paused";
    this.#ring.pause();
  }

  resume(): void {
    if (this.#state !== "paused") return;
    this.#state = "open";
    this.#ring.resume();
  }

  async close(): Promise<void> {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#ring.close();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_MS);
    await Promise.race([Promise.all(this.#threads.map(({ ended }) => ended)), late]);
    clearTimeout(timer);
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @param left the ring's number of a batch that is to be made first */
  #start(worker: number, left: number | null): WorkerThread {
    const generation = this.#ring.renew(worker);
    const { workerUrl, startBatch } = this.#options;
    const job = { worker, generation, left, plan: this.#plan, memory: this.#memory, startBatch };
    return new WorkerThread(workerUrl, job, ({ k, tensors }) => this.#sent.set(k, tensors));
  }

  /** Whether batch k, or its failure, can be taken. */
  #there(k: number): boolean {
    return this.#ring.ready(k) && (this.#options.sharedMemory || this.#sent.has(k) || this.#ring.failure(k) !== null);
  }

  /** Returns when batch k can be taken. */
  async #wait(k: number): Promise<void> {
    if (this.#ring.held(k)) {
      throw new Error(`All ${this.slots} batches of the ring are held; release one before the next is asked for`);
    }
    let silence = new Silence(this.#ring);
    for (let slice = FIRST_SLICE;; slice = Math.min(slice * 1.5, LAST_SLICE)) {
      if (this.#options.shouldStop()) throw new InterruptedError();
      // A batch that was sent arrives when the event loop turns.
      const ready = this.#ring.wait(k, slice);
      if (ready && this.#there(k)) return;
      await setImmediate();
      if (this.#state !== "open") throw new Error(`The loader is ${this.#state}`);
      if (this.#there(k)) return;
      if (ready) continue;
      await this.#tendEnded(k);
      const worker = this.#owner(k);
      const waited = silence.add(worker, slice);
      const begun = worker !== null && this.#ring.beats(worker) > 0;
      const limit = begun ? this.#plan.timeout + GRACE_MS : Math.max(this.#plan.timeout, this.#options.startMs);
      if (waited < limit) continue;
      if (!begun || this.#plan.onError === "fail") throw this.#fail(this.#errors.stuck(k, worker, waited));
      await this.#replace(worker, `is given up: ${this.#errors.silence(waited)}; its thread goes on beside the run`);
      silence = new Silence(this.#ring);
    }
  }

  /** The worker that makes batch k; null where none has begun. */
  #owner(k: number): number | null {
    const worker = this.#threads.findIndex((_, i) => this.#ring.claimed(i) === k);
    return worker < 0 ? null : worker;
  }

  /**
   * Replaces workers that have ended where that may help.
   *
   * @throws {InputError} if one has ended, and is not replaced; unless it handed over why: that is told when its batch is
   *   due
   */
  async #tendEnded(k: number): Promise<void> {
    for (const [worker, { end }] of this.#threads.entries()) {
      if (end === null || this.#handedOver(worker)) continue;
      const begun = this.#ring.beats(worker) > 0;
      if (begun && this.#plan.onError === "skip") await this.#replace(worker, end);
      else throw this.#fail(this.#errors.gone(k, worker, end));
    }
  }

  /** Has another thread take the place of a worker's, which is lost at its sample. */
  async #replace(worker: number, cause: string): Promise<void> {
    const ring = this.#ring;
    const thread = this.#threads[worker]!;
    ring.retire(worker);
    if (thread.end === null) {
      await sleep(RETIRE_MS); // what it was about to do with the ring is done by then, or not at all
      await thread.terminate();
      if (this.#state === "closed") throw new Error("The loader is closed");
    }
    try {
      this.#lost.add(worker, cause);
    } catch (error) {
      throw this.#fail(error as Error);
    }
    this.#threads[worker] = this.#start(worker, ring.owed(worker));
  }

  /** Whether the worker's last batch holds its failure. */
  #handedOver(worker: number): boolean {
    const claimed = this.#ring.claimed(worker);
    return claimed >= 0 && this.#ring.ready(claimed) && this.#ring.failure(claimed)?.worker === worker;
  }

  #fail(error: Error): Error {
    this.#failure = error;
    return error;
  }

  /** What the stages are called; none before a worker has said so. */
  #names(): readonly string[] {
    const names: unknown = JSON.parse(this.#ring.stageNames() ?? "[]");
    return names as string[];
  }

  #batch(k: number, record: BatchRecord, waitMs: number): Batch {
    const index = this.#options.startBatch + k;
    const ring = this.#ring;
    const tensors = this.#sent.get(k) ?? ring.tensors(k);
    this.#sent.delete(k);
    const names = () => this.#names();
    let released = false;
    return {
      index,
      epoch: Math.floor(index / this.batchesPerEpoch),
      size: this.#plan.batchSize,
      count: batchCount(this.#plan, index),
      tensors,
      waitMs,
      workMs: record.makeMs,
      worker: record.worker,
      beganAt: record.beganAt,
      get stages() {
        const ms = Array.from(record.stages).slice(0, names().length);
        return { timed: record.timed, names: names(), ms, slotWaitMs: record.slotWaitMs, laps: ring.laps(k) };
      },
      release: () => {
        if (!released) ring.release(k);
        released = true;
      },
    };
  }
}

/** One slot for each batch that the workers may be ahead, and one for the batch that the consumer holds. */
function ringSizes(plan: BatchPlan, { numWorkers, prefetch, sharedMemory }: WorkerLoaderOptions) {
  const fields = batchFields(plan);
  const fitting = Math.floor(RING_BYTES / totalBytes(fields));
  const slots = Math.max(2, Math.min(numWorkers * prefetch + 1, fitting));
  return {
    slots,
    workers: numWorkers,
    fields,
    // A stage's name is made of its transforms' kinds, or names, and what they convert: under twice their text
    stagesBytes: 1024 + 2 * new TextEncoder().encode(JSON.stringify(plan.transforms)).length,
    holdsBatches: sharedMemory,
  };
}
