import { sharedNow } from "../../core/clock.ts";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { InterruptedError } from "../../core/errors.ts";
import { type FieldArrays, totalBytes } from "../fields.ts";
import { batchCount, batchesPerEpoch, batchFields, type BatchPlan } from "./batch_plan.ts";
import type { BatchRecord } from "./batch_record.ts";
import type { Batch, Loader, WorkerChoice } from "./loader.ts";
import type { LoaderCache } from "./loader_cache.ts";
import { DeadWorkers, Watchdog } from "./dead_workers.ts";
import { LoaderMeter, type LoaderProfile } from "./meter.ts";
import { Ring } from "./ring.ts";
import { allocateRing, type RingMemory, SLOT_BYTES } from "./ring_memory.ts";
import { WorkerErrors } from "./worker_errors.ts";
import { WorkerThread } from "./worker_thread.ts";

/** Options of a WorkerLoader. */
export interface WorkerLoaderOptions {
  readonly numWorkers: number;
  /** Batches that each worker may be ahead. */
  readonly prefetch: number;
  /** Pass batches in shared memory; false sends them by structured clone. */
  readonly sharedMemory: boolean;
  readonly startBatch: number;
  readonly shouldStop: () => boolean;
  readonly workerUrl: URL;
  /** Time limit for a worker's first sample in milliseconds. */
  readonly startMs: number;
  readonly choice: WorkerChoice | null;
  /** The plan's cache, closed with the loader; null without one, or if other loaders use it. */
  readonly cache: LoaderCache | null;
}

/** Memory limit of a ring in bytes; it always has two slots. */
const RING_BYTES = 512 * 2 ** 20;

/** Milliseconds for which a wait blocks the thread between turns of the event loop. */
const FIRST_SLICE = 5;
const LAST_SLICE = 50;

/** Milliseconds for workers to end after the current sample once the ring is closed. Later they are terminated. */
const CLOSE_MS = 2000;

/** Milliseconds after the time limit of a sample at which the worker itself counts as stuck. */
const GRACE_MS = 1000;

/** Milliseconds for a replaced thread to finish its current access to the ring. */
const RETIRE_MS = 20;

/**
 * Loads batches from worker threads through a ring in shared memory. With `onError: "skip"`, a thread that has ended or
 * hangs is replaced: another one makes its batch, without the sample at which it was lost.
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
  /** Threads by worker number. */
  readonly #threads: WorkerThread[];
  readonly #dead: DeadWorkers;
  readonly #errors: WorkerErrors;
  readonly #meter: LoaderMeter;
  /** Received batches that are not taken yet, by number in the ring. */
  readonly #sent = new Map<number, FieldArrays>();
  /** Number of the next batch in the ring. */
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
    this.#meter = new LoaderMeter(plan.batchSize, options.cache);
    this.#memory = allocateRing(ringSizes(plan, options));
    this.#ring = new Ring(this.#memory);
    this.#dead = new DeadWorkers(plan, this.#ring, options.startBatch);
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
    const late = !this.#available(k);
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
    // After a wait, the hand-over began when the batch was published
    const taking = late ? Math.max(0, sharedNow() - record.publishedAt) : performance.now() - begin;
    this.#meter.add(record, record.publishMs + taking);
    return batch;
  }

  queueDepth(): number {
    let depth = 0;
    while (depth < this.slots && this.#ring.ready(this.#next + depth)) depth++;
    return depth;
  }

  relocate(): void {}

  resetProfile(): void {
    this.#meter.reset();
  }

  profile(): LoaderProfile {
    const reasons = [...this.#dead.reasons, ...this.#ring.notes("skip")];
    return this.#meter.profile(this.#names(), reasons, this.#ring.notes("warning"));
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
    this.#options.cache?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @param left number of a batch that a lost thread has left, to be made first */
  #start(worker: number, left: number | null): WorkerThread {
    const generation = this.#ring.renew(worker);
    const { workerUrl, startBatch } = this.#options;
    const job = { worker, generation, left, plan: this.#plan, memory: this.#memory, startBatch };
    return new WorkerThread(workerUrl, job, ({ k, tensors }) => this.#sent.set(k, tensors));
  }

  /** Returns true if batch k, or its failure, can be taken. */
  #available(k: number): boolean {
    return this.#ring.ready(k) && (this.#options.sharedMemory || this.#sent.has(k) || this.#ring.failure(k) !== null);
  }

  /** Waits until batch k can be taken. */
  async #wait(k: number): Promise<void> {
    if (this.#ring.held(k)) {
      throw new Error(`All ${this.slots} batches of the ring are held; release one before requesting the next`);
    }
    let watchdog = new Watchdog(this.#ring);
    for (let slice = FIRST_SLICE;; slice = Math.min(slice * 1.5, LAST_SLICE)) {
      if (this.#options.shouldStop()) throw new InterruptedError();
      // A sent batch arrives when the event loop turns
      const ready = this.#ring.wait(k, slice);
      if (ready && this.#available(k)) return;
      await setImmediate();
      if (this.#state !== "open") throw new Error(`The loader is ${this.#state}`);
      if (this.#available(k)) return;
      if (ready) continue;
      await this.#replaceEnded(k);
      const worker = this.#owner(k);
      const waited = watchdog.add(worker, slice);
      const begun = worker !== null && this.#ring.beats(worker) > 0;
      const limit = begun ? this.#plan.timeout + GRACE_MS : Math.max(this.#plan.timeout, this.#options.startMs);
      if (waited < limit) continue;
      if (!begun || this.#plan.onError === "fail") throw this.#fail(this.#errors.stuck(k, worker, waited));
      await this.#replace(worker, `is abandoned: ${this.#errors.noAnswer(waited)}; its thread keeps running`);
      watchdog = new Watchdog(this.#ring);
    }
  }

  /** Returns the worker that makes batch k; null if none has begun it. */
  #owner(k: number): number | null {
    const worker = this.#threads.findIndex((_, i) => this.#ring.claimed(i) === k);
    return worker < 0 ? null : worker;
  }

  /**
   * Replaces workers that have ended.
   *
   * @throws {InputError} if one has ended and cannot be replaced. A worker that has reported its failure is left alone: the
   *   failure surfaces when its batch is due.
   */
  async #replaceEnded(k: number): Promise<void> {
    for (const [worker, { end }] of this.#threads.entries()) {
      if (end === null || this.#reported(worker)) continue;
      const begun = this.#ring.beats(worker) > 0;
      if (begun && this.#plan.onError === "skip") await this.#replace(worker, end);
      else throw this.#fail(this.#errors.gone(k, worker, end));
    }
  }

  /** Replaces a dead worker with a new one. */
  async #replace(worker: number, cause: string): Promise<void> {
    const ring = this.#ring;
    const thread = this.#threads[worker]!;
    ring.retire(worker);
    if (thread.end === null) {
      await sleep(RETIRE_MS); // its current access to the ring is finished by then
      await thread.terminate();
      if (this.#state === "closed") throw new Error("The loader is closed");
    }
    try {
      this.#dead.add(worker, cause);
    } catch (error) {
      throw this.#fail(error as Error);
    }
    this.#threads[worker] = this.#start(worker, ring.owed(worker));
  }

  /** Returns true if the worker's last batch contains its failure. */
  #reported(worker: number): boolean {
    const claimed = this.#ring.claimed(worker);
    return claimed >= 0 && this.#ring.ready(claimed) && this.#ring.failure(claimed)?.worker === worker;
  }

  #fail(error: Error): Error {
    this.#failure = error;
    return error;
  }

  /** Returns the names of the stages; none before a worker has reported them. */
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

/** Returns the sizes of a ring: one slot per batch that workers may be ahead, and one for the consumer's batch. */
function ringSizes(plan: BatchPlan, { numWorkers, prefetch, sharedMemory }: WorkerLoaderOptions) {
  const fields = batchFields(plan);
  const fitting = Math.floor(RING_BYTES / (totalBytes(fields) + SLOT_BYTES));
  const slots = Math.max(2, Math.min(numWorkers * prefetch + 1, fitting));
  return {
    slots,
    workers: numWorkers,
    fields,
    // Names of stages consist of kinds, names and conversions of transforms: less than twice the transforms' text
    stagesBytes: 1024 + 2 * new TextEncoder().encode(JSON.stringify(plan.transforms)).length,
    holdsBatches: sharedMemory,
  };
}
