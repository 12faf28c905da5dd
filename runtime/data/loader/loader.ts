import type { BatchTensors } from "../shared.ts";
import type { Lap } from "./lap_log.ts";
import type { LoaderProfile } from "./meter.ts";

/** The stages of a batch's making, over some of its samples. */
export interface StageSample {
  /** Samples that were timed: not all, as reading the clock costs time too. */
  readonly timed: number;
  readonly names: readonly string[];
  /** Milliseconds of each stage, over those samples. */
  readonly ms: readonly number[];
  /** Milliseconds that the worker waited for a free slot before it began. */
  readonly slotWaitMs: number;
  /** What was timed one by one, where the loader was told to; none else. */
  readonly laps?: readonly Lap[];
}

/** A batch of samples, which the consumer may read until it releases it. */
export interface Batch {
  /** Counted from the start of epoch 0. */
  readonly index: number;
  readonly epoch: number;
  /** Samples in each tensor: always the loader's batch size. */
  readonly size: number;
  /** The first `count` samples are the data's; the rest repeat them. */
  readonly count: number;
  /** Tensors by field, `size` samples each: `input` in the loader's layout, `target` as class indices or f32. */
  readonly tensors: BatchTensors;
  /** The time that the caller of `next` waited: milliseconds. */
  readonly waitMs: number;
  /** The time that making the batch took, on whichever thread: milliseconds. */
  readonly workMs: number;
  /** The worker that made it; null for the main thread. */
  readonly worker: number | null;
  /** When its making began: milliseconds on the clock `performance.timeOrigin + performance.now()`, which threads share. */
  readonly beganAt: number;
  /** Where the time of its making went, by those of its samples that were timed; to be read before its release. */
  readonly stages: StageSample;
  /** Hands the memory back; the tensors must not be read afterwards. A second call does nothing. */
  release(): void;
}

/** How the number of workers was found. */
export interface WorkerChoice {
  /** Samples per second of the loader alone, by number of workers; 0 is the main thread. */
  readonly measured: readonly { readonly numWorkers: number; readonly samplesPerSecond: number }[];
  readonly chosen: number;
}

/** An endless sequence of batches. */
export interface Loader extends AsyncDisposable {
  readonly batchesPerEpoch: number;
  /** Threads that make batches; 0 for the main thread. They stay the same from epoch to epoch. */
  readonly numWorkers: number;
  /** How the number of workers was found where it was left to be found. */
  readonly choice: WorkerChoice | null;
  /** Batches that can exist at once, those that the consumer holds among them; null where there is no such limit. */
  readonly slots: number | null;
  /**
   * The next batch, in order.
   *
   * @throws {InputError} if a sample is invalid or a worker ended; each later call throws it again
   * @throws {InterruptedError} if `shouldStop` says so while waiting
   * @throws {Error} if the loader is paused or closed, another call is pending, or the consumer holds all slots
   */
  next(): Promise<Batch>;
  /** Batches that are ready and not yet taken. */
  queueDepth(): number;
  /**
   * The slots of each worker that are filled with batches which are not yet taken, by the worker's number: what it has
   * made ahead. Null without workers.
   */
  filledSlots(): readonly number[] | null;
  /** Whether batches that are begun from now on note every stretch of their making, for a trace. */
  trace(on: boolean): void;
  /** Forgets what was measured so far. */
  resetProfile(): void;
  /** What the batches that were taken since cost, stage by stage and thread by thread. */
  profile(): LoaderProfile;
  /** Stops the workers after the sample at hand. */
  pause(): void;
  resume(): void;
  /** Ends the workers after the sample at hand, or by force where that takes long. A second call does nothing. */
  close(): Promise<void>;
}
