import type { BatchTensors } from "../shared.ts";
import type { Lap } from "./lap_log.ts";
import type { LoaderProfile } from "./meter.ts";

/** Times of the stages of making a batch, over some of its samples. */
export interface StageSample {
  /** Number of timed samples; a subset, as reading the clock takes time too. */
  readonly timed: number;
  readonly names: readonly string[];
  /** Milliseconds of each stage, summed over those samples. */
  readonly ms: readonly number[];
  /** Milliseconds that the worker waited for a free slot before. */
  readonly slotWaitMs: number;
  /** Laps of samples and stages, if the loader traces. */
  readonly laps?: readonly Lap[];
}

/** Batch of samples, readable until its release. */
export interface Batch {
  /** Index, counted from the start of epoch 0. */
  readonly index: number;
  readonly epoch: number;
  /** Number of samples in each tensor: always the loader's batch size. */
  readonly size: number;
  /** Number of distinct samples, which come first; the rest repeat them. */
  readonly count: number;
  /** Tensors by field, `size` samples each: `input` in the loader's layout, `target` as class indices or f32. */
  readonly tensors: BatchTensors;
  /** Milliseconds that the caller of `next` waited. */
  readonly waitMs: number;
  /** Milliseconds to make the batch, on any thread. */
  readonly workMs: number;
  /** Worker that made it; null for the main thread. */
  readonly worker: number | null;
  /** Start of its making, in ms on the clock `performance.timeOrigin + performance.now()`, which threads share. */
  readonly beganAt: number;
  /** Times of its stages; to be read before its release. */
  readonly stages: StageSample;
  /** Returns the memory to the loader; the tensors must not be read afterwards. A second call does nothing. */
  release(): void;
}

/** Measurements that chose the number of workers. */
export interface WorkerChoice {
  /** Samples per second of the loader alone, by number of workers; 0 means the main thread. */
  readonly measured: readonly { readonly numWorkers: number; readonly samplesPerSecond: number }[];
  readonly chosen: number;
}

/** Endless sequence of batches. */
export interface Loader extends AsyncDisposable {
  readonly batchesPerEpoch: number;
  /** Number of threads that make batches; 0 for the main thread. Threads persist across epochs. */
  readonly numWorkers: number;
  /** Measurements that chose the number of workers; null unless it was `"auto"`. */
  readonly choice: WorkerChoice | null;
  /** Largest number of batches at a time, including those that the consumer holds; null if unlimited. */
  readonly slots: number | null;
  /**
   * Returns the next batch, in order.
   *
   * @throws {InputError} if a sample is invalid or a worker has ended; each later call throws it again
   * @throws {InterruptedError} if `shouldStop` returns true during the wait
   * @throws {Error} if the loader is paused or closed, another call is pending, or the consumer holds all slots
   */
  next(): Promise<Batch>;
  /** Returns the number of ready batches that are not taken yet. */
  queueDepth(): number;
  /** Returns the number of ready batches that each worker has made ahead, by worker number; null without workers. */
  filledSlots(): readonly number[] | null;
  /** Turns the recording of laps on or off for batches that begin from now on. */
  trace(on: boolean): void;
  /** Makes later batches in new memory; batches in shared memory keep theirs. */
  relocate(): void;
  /** Discards the measurements so far. */
  resetProfile(): void;
  /** Returns the measurements of the batches taken since, by stage and thread. */
  profile(): LoaderProfile;
  /** Pauses the workers after the current sample. */
  pause(): void;
  resume(): void;
  /** Ends the workers after the current sample, by force if that takes long. A second call does nothing. */
  close(): Promise<void>;
}
