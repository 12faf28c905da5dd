import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { InputError, InterruptedError } from "../../core/errors.ts";
import { batchCount, batchesPerEpoch, type BatchPlan, inputSize } from "./batch_maker.ts";
import type { Batch, Loader } from "./loader.ts";
import { allocateRing, Ring, type RingMemory } from "./ring.ts";
import type { WorkerJob } from "./serve.ts";

/** What a WorkerLoader needs besides the plan. */
export interface WorkerLoaderOptions {
  readonly numWorkers: number;
  /** Batches that each worker may be ahead. */
  readonly prefetch: number;
  readonly startBatch: number;
  readonly shouldStop: () => boolean;
  readonly workerUrl: URL;
  readonly stallMs: number;
}

/** The most memory of a ring, as far as two slots fit: bytes. */
const RING_BYTES = 512 * 2 ** 20;

/** The thread blocks for a slice of the wait, and then lets the event loop turn: milliseconds. */
const FIRST_SLICE = 5;
const LAST_SLICE = 50;

/** Workers end by themselves when the ring is closed, after the sample at hand; later they are terminated: milliseconds. */
const CLOSE_MS = 500;

/**
 * Batches from worker threads through a ring in shared memory.
 *
 * The threads are those of `node:worker_threads`, which Deno implements: unlike a web `Worker` they tell when they end,
 * even by `Deno.exit`, and do not keep the process from exiting while they are parked in `Atomics.wait` (Deno 2.9). So
 * the end of a worker is known, not guessed from its silence, and one that reads slowly is left alone.
 */
export class WorkerLoader implements Loader {
  readonly batchesPerEpoch: number;
  readonly slots: number;
  readonly #plan: BatchPlan;
  readonly #options: WorkerLoaderOptions;
  readonly #ring: Ring;
  readonly #workers: readonly Worker[];
  /** Settle when the workers have ended. */
  readonly #exits: Promise<void>[] = [];
  /** What ended each worker, once it has. */
  readonly #ends: (string | null)[];
  /** The ring's number of the next batch. */
  #next = 0;
  #waiting = false;
  #failure: Error | null = null;
  #state: "open" | "paused" | "closed" = "open";

  constructor(plan: BatchPlan, options: WorkerLoaderOptions) {
    this.batchesPerEpoch = batchesPerEpoch(plan);
    this.#plan = plan;
    this.#options = options;
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
    if (!ring.ready(k)) {
      this.#waiting = true;
      try {
        await this.#wait(k);
      } finally {
        this.#waiting = false;
      }
    }
    const failure = ring.failure(k);
    if (failure !== null) throw this.#fail(new InputError(failure.message));
    this.#next++;
    return this.#batch(k, performance.now() - begin);
  }

  queueDepth(): number {
    let depth = 0;
    while (depth < this.slots && this.#ring.ready(this.#next + depth)) depth++;
    return depth;
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

  /** Returns when batch k is in its slot. */
  async #wait(k: number): Promise<void> {
    const { shouldStop, stallMs } = this.#options;
    if (this.#ring.held(k)) {
      throw new Error(`All ${this.slots} batches of the ring are held; release one before the next is asked for`);
    }
    let beats = this.#ring.beats();
    // Counted in slices, not by the clock: a suspended process has not waited.
    let silence = 0;
    for (let slice = FIRST_SLICE;; slice = Math.min(slice * 1.5, LAST_SLICE)) {
      if (shouldStop()) throw new InterruptedError();
      if (this.#ring.wait(k, slice)) return;
      await setImmediate();
      if (this.#state !== "open") throw new Error(`The loader is ${this.#state}`);
      if (this.#ring.ready(k)) return;
      this.#checkEnds(k);
      silence += slice;
      if (this.#ring.beats() !== beats) {
        beats = this.#ring.beats();
        silence = 0;
      }
      if (silence >= stallMs) throw this.#fail(this.#stalled(k));
    }
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

  #stalled(k: number): InputError {
    const { startBatch, stallMs } = this.#options;
    const worker = this.#workers.findIndex((_, i) => this.#ring.claimed(i) === k);
    const who = worker < 0
      ? "No data worker has begun"
      : `Data worker ${worker} of ${this.#workers.length} is stuck in`;
    return new InputError(
      `${who} batch ${startBatch + k}: no sample in ${Math.round(stallMs / 1000)} s of waiting; ` +
        "run with loader.numWorkers=0 to see the cause on the main thread",
    );
  }

  #fail(error: Error): Error {
    this.#failure = error;
    return error;
  }

  #batch(k: number, waitMs: number): Batch {
    const index = this.#options.startBatch + k;
    const ring = this.#ring;
    let released = false;
    return {
      index,
      epoch: Math.floor(index / this.batchesPerEpoch),
      size: this.#plan.batchSize,
      count: batchCount(this.#plan, index),
      input: ring.input(k),
      target: ring.target(k),
      waitMs,
      workMs: ring.workMs(k),
      release: () => {
        if (!released) ring.release(k);
        released = true;
      },
    };
  }
}

/** One slot for each batch that the workers may be ahead, and one for the batch that the consumer holds. */
function ringSizes(plan: BatchPlan, { numWorkers, prefetch }: WorkerLoaderOptions) {
  const inputLength = plan.batchSize * inputSize(plan);
  const targetLength = plan.batchSize * plan.source.targetSize;
  const fitting = Math.floor(RING_BYTES / (4 * (inputLength + targetLength)));
  const slots = Math.max(2, Math.min(numWorkers * prefetch + 1, fitting));
  return { slots, workers: numWorkers, inputLength, targetLength, targetDType: plan.source.targetDType };
}
