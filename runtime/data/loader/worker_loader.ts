import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { InputError, InterruptedError } from "../../core/errors.ts";
import { batchCount, batchesPerEpoch, type BatchMemory, type BatchPlan, batchSizes } from "./batch_plan.ts";
import { type BatchRecord, sharedNow } from "./batch_record.ts";
import type { Batch, Loader } from "./loader.ts";
import { LoaderMeter, type LoaderProfile } from "./meter.ts";
import { allocateRing, Ring, type RingMemory } from "./ring.ts";
import { seconds } from "./sample_error.ts";
import type { BatchMessage, WorkerJob } from "./serve.ts";
import type { WorkerChoice } from "./worker_choice.ts";

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

/**
 * Batches from worker threads through a ring in shared memory.
 *
 * The threads are those of `node:worker_threads`, which Deno implements: unlike a web `Worker` they tell when they end,
 * even by `Deno.exit`, and do not keep the process from exiting while they are parked in `Atomics.wait` (Deno 2.9). So
 * the end of a worker is known, not guessed from its silence, and one that reads slowly is left alone.
 */
export class WorkerLoader implements Loader {
  readonly batchesPerEpoch: number;
  readonly numWorkers: number;
  readonly slots: number;
  readonly choice: WorkerChoice | null;
  readonly #plan: BatchPlan;
  readonly #options: WorkerLoaderOptions;
  readonly #ring: Ring;
  readonly #workers: readonly Worker[];
  /** Settle when the workers have ended. */
  readonly #exits: Promise<void>[] = [];
  /** What ended each worker, once it has. */
  readonly #ends: (string | null)[];
  readonly #meter: LoaderMeter;
  /** Batches that were sent and not yet taken, by their number in the ring. */
  readonly #sent = new Map<number, BatchMemory>();
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
    const memory = allocateRing(ringSizes(plan, options));
    this.#ring = new Ring(memory);
    this.slots = memory.slots;
    this.#ends = new Array<string | null>(options.numWorkers).fill(null);
    this.#workers = this.#ends.map((_, worker) => this.#start(worker, memory));
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
    if (failure !== null) throw this.#fail(new InputError(this.#told(failure)));
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
    const reasons = this.#ends.flatMap((_, worker) => this.#ring.skipReason(worker) ?? []);
    return this.#meter.profile(this.#names(), reasons);
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
    await Promise.race([Promise.all(this.#exits), late]);
    clearTimeout(timer);
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #start(worker: number, memory: RingMemory): Worker {
    const job: WorkerJob = { worker, plan: this.#plan, memory, startBatch: this.#options.startBatch };
    const thread = new Worker(this.#options.workerUrl, { workerData: job });
    if (!memory.holdsBatches) {
      thread.on("message", ({ k, input, target }: BatchMessage) => this.#sent.set(k, { input, target }));
    }
    thread.on("error", (error: unknown) => {
      this.#ends[worker] ??= `failed: ${error instanceof Error ? error.message : error}`;
    });
    this.#exits.push(
      new Promise((resolve) => {
        thread.on("exit", (code: number) => {
          this.#ends[worker] ??= `ended unexpectedly with exit status ${code}`;
          resolve();
        });
      }),
    );
    thread.unref(); // a loader that nobody closed does not keep the process alive
    return thread;
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
    const silence = new Silence(this.#ring);
    for (let slice = FIRST_SLICE;; slice = Math.min(slice * 1.5, LAST_SLICE)) {
      if (this.#options.shouldStop()) throw new InterruptedError();
      // A batch that was sent arrives when the event loop turns.
      const ready = this.#ring.wait(k, slice);
      if (ready && this.#there(k)) return;
      await setImmediate();
      if (this.#state !== "open") throw new Error(`The loader is ${this.#state}`);
      if (this.#there(k)) return;
      if (ready) continue;
      this.#checkEnds(k);
      const worker = this.#owner(k);
      const waited = silence.add(worker, slice);
      const begun = worker !== null && this.#ring.beats(worker) > 0;
      const limit = begun ? this.#plan.timeout + GRACE_MS : Math.max(this.#plan.timeout, this.#options.startMs);
      if (waited >= limit) throw this.#fail(this.#stuck(k, worker, waited));
    }
  }

  /** The worker that makes batch k; null where none has begun. */
  #owner(k: number): number | null {
    const worker = this.#workers.findIndex((_, i) => this.#ring.claimed(i) === k);
    return worker < 0 ? null : worker;
  }

  /**
   * @throws {InputError} if a worker has ended, unless it handed over why: that is told when its batch is due
   */
  #checkEnds(k: number): void {
    for (let worker = 0; worker < this.#ends.length; worker++) {
      const end = this.#ends[worker];
      if (end === null || end === undefined || this.#handedOver(worker)) continue;
      const claimed = this.#ring.claimed(worker);
      const doing = claimed < 0
        ? "before its first batch"
        : `while it made batch ${this.#options.startBatch + claimed}`;
      throw this.#fail(
        new InputError(
          `Data worker ${worker} of ${this.#workers.length} ${end}, ${doing} (batch ${this.#options.startBatch + k} ` +
            "is due); run with loader.numWorkers=0 to see the cause on the main thread",
        ),
      );
    }
  }

  /** Whether the worker's last batch holds its failure. */
  #handedOver(worker: number): boolean {
    const claimed = this.#ring.claimed(worker);
    return claimed >= 0 && this.#ring.ready(claimed) && this.#ring.failure(claimed)?.worker === worker;
  }

  #stuck(k: number, worker: number | null, waited: number): InputError {
    const batch = this.#options.startBatch + k;
    const mend = "run with loader.numWorkers=0 to see the cause on the main thread";
    if (worker === null) {
      return new InputError(`No data worker has begun batch ${batch} in ${seconds(waited)}; ${mend}`);
    }
    const place = this.#ring.beats(worker) > 0
      ? `in sample ${this.#ring.sample(worker)} of batch ${batch}: no answer in ${seconds(waited)} ` +
        `(loader.timeout=${this.#plan.timeout})`
      : `before the first sample of batch ${batch}, for ${seconds(waited)}`;
    return new InputError(`Data worker ${worker} of ${this.#workers.length} is stuck ${place}; ${mend}`);
  }

  /** A failure in words: that of a source that did not answer names the worker too. */
  #told({ worker, message }: { readonly worker: number; readonly message: string }): string {
    return message.includes("loader.timeout")
      ? `Data worker ${worker} of ${this.#workers.length}: ${message}`
      : message;
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
    const { input, target } = this.#sent.get(k) ?? { input: ring.input(k), target: ring.target(k) };
    this.#sent.delete(k);
    const names = () => this.#names();
    let released = false;
    return {
      index,
      epoch: Math.floor(index / this.batchesPerEpoch),
      size: this.#plan.batchSize,
      count: batchCount(this.#plan, index),
      input,
      target,
      waitMs,
      workMs: record.makeMs,
      worker: record.worker,
      beganAt: record.beganAt,
      get stages() {
        const ms = Array.from(record.stages).slice(0, names().length);
        return { timed: record.timed, names: names(), ms, slotWaitMs: record.slotWaitMs };
      },
      release: () => {
        if (!released) ring.release(k);
        released = true;
      },
    };
  }
}

/** How long the worker that makes a batch has given no sign of life. */
class Silence {
  readonly #ring: Ring;
  #worker: number | null = null;
  #beats = -1;
  /** Counted in slices, not by the clock: a suspended process has not waited. */
  #ms = 0;

  constructor(ring: Ring) {
    this.#ring = ring;
  }

  /** Another `ms` milliseconds have passed; returns how long it has been silent. */
  add(worker: number | null, ms: number): number {
    const beats = worker === null ? -1 : this.#ring.beats(worker);
    if (worker !== this.#worker || beats !== this.#beats) this.#ms = 0;
    this.#worker = worker;
    this.#beats = beats;
    return this.#ms += ms;
  }
}

/** One slot for each batch that the workers may be ahead, and one for the batch that the consumer holds. */
function ringSizes(plan: BatchPlan, { numWorkers, prefetch, sharedMemory }: WorkerLoaderOptions) {
  const { input, target, targetDType } = batchSizes(plan);
  const fitting = Math.floor(RING_BYTES / (4 * (input + target)));
  const slots = Math.max(2, Math.min(numWorkers * prefetch + 1, fitting));
  return {
    slots,
    workers: numWorkers,
    inputLength: input,
    targetLength: target,
    targetDType,
    holdsBatches: sharedMemory,
  };
}
