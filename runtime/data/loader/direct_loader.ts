import { InterruptedError } from "../../core/errors.ts";
import { batchCount, batchesPerEpoch, BatchMaker, type BatchPlan, inputSize } from "./batch_maker.ts";
import type { Batch, Loader } from "./loader.ts";

/** The memory of one batch. */
interface BatchMemory {
  readonly input: Float32Array;
  readonly target: Int32Array | Float32Array;
}

/** Makes each batch on the calling thread when it is asked for. */
export class DirectLoader implements Loader {
  readonly batchesPerEpoch: number;
  readonly slots = null;
  readonly #plan: BatchPlan;
  readonly #maker: BatchMaker;
  readonly #shouldStop: () => boolean;
  /** Memory of released batches. */
  readonly #free: BatchMemory[] = [];
  #index: number;
  #failure: unknown = null;
  #state: "open" | "paused" | "closed" = "open";

  /**
   * @throws {InputError} if the source cannot be opened
   */
  constructor(plan: BatchPlan, startBatch: number, shouldStop: () => boolean) {
    this.batchesPerEpoch = batchesPerEpoch(plan);
    this.#plan = plan;
    this.#index = startBatch;
    this.#shouldStop = shouldStop;
    this.#maker = new BatchMaker(plan);
  }

  // deno-lint-ignore require-await -- errors must reject, as those of WorkerLoader do
  async next(): Promise<Batch> {
    if (this.#state !== "open") throw new Error(`The loader is ${this.#state}`);
    if (this.#failure !== null) throw this.#failure;
    if (this.#shouldStop()) throw new InterruptedError();
    const begin = performance.now();
    const index = this.#index;
    const memory = this.#free.pop() ?? this.#allocate();
    try {
      this.#maker.make(index, memory.input, memory.target);
    } catch (error) {
      this.#failure = error;
      throw error;
    }
    this.#index++;
    const ms = performance.now() - begin;
    let released = false;
    return {
      index,
      epoch: Math.floor(index / this.batchesPerEpoch),
      size: this.#plan.batchSize,
      count: batchCount(this.#plan, index),
      ...memory,
      waitMs: ms,
      workMs: ms,
      release: () => {
        if (!released) this.#free.push(memory);
        released = true;
      },
    };
  }

  queueDepth(): number {
    return 0;
  }

  pause(): void {
    if (this.#state === "open") this.#state = "paused";
  }

  resume(): void {
    if (this.#state === "paused") this.#state = "open";
  }

  close(): Promise<void> {
    if (this.#state !== "closed") this.#maker.close();
    this.#state = "closed";
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #allocate(): BatchMemory {
    const { batchSize, source } = this.#plan;
    const targets = batchSize * source.targetSize;
    return {
      input: new Float32Array(batchSize * inputSize(this.#plan)),
      target: source.targetDType === "i32" ? new Int32Array(targets) : new Float32Array(targets),
    };
  }
}
