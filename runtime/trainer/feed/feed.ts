import type { BatchTensors } from "../../data/shared.ts";
import type { Batch, Loader } from "../../data/loader/loader.ts";
import type { Device } from "../../device/device.ts";
import type { TimestampRecorder } from "../../device/timestamps.ts";
import type { BatchBuffers } from "../../engine/batch_buffers.ts";
import type { Executor } from "../../engine/executor.ts";
import type { GradientExchange } from "../../cluster/gradient_exchange.ts";
import type { AllReduceTimes, BucketTimes } from "../../record/all_reduce.ts";
import { type FieldUpload, recordCopy, uploadOf } from "../../record/copies.ts";
import type { Placement } from "../../engine/placement.ts";
import type { Timing } from "../../record/timing.ts";
import type { Recorder } from "../../record/recorder.ts";
import type { ModelState, StepOutcome } from "../../engine/model_state.ts";
import { batchSpans } from "./batch_spans.ts";
import { LOSS_RING_WORDS } from "../../../ops/optimizer/step_state.ts";

/** Provider of a feed's batches. */
export type BatchSource = Pick<Loader, "next" | "queueDepth"> & Partial<Pick<Loader, "filledSlots">>;

/** Encoder of steps: an executor or a replacement. `phases` are the timed passes of a step. */
export type StepExecutor = Pick<Executor, "encode" | "phases">;

/** A variant that is ready to run, as feeds see it. */
export interface FeedContext {
  readonly device: Device;
  /** Encodes the steps, unless a run names another executor. */
  readonly executor: StepExecutor;
  readonly state: ModelState;
  /** Provides the batches, unless a run names another source. */
  readonly source: BatchSource;
  /** Batches of the current step on the device. */
  readonly batch: BatchBuffers;
  /** Batches of a step: 1, or the micro-batches of gradient accumulation. */
  readonly batches: number;
  /** True if steps compute a loss, which is read back. */
  readonly hasLoss: boolean;
  /** Recorder of device times; null if the adapter has no timestamps. */
  readonly timestamps: TimestampRecorder | null;
  /** Records spans of the host's work. */
  readonly recorder: Recorder | null;
  /** Averages gradients over ranks; null on one rank. Runs with another executor do not use it. */
  readonly exchange: GradientExchange | null;
  /** Timing method; `host` and `event` do not wait for the device between steps. */
  readonly timing: Timing | null;
  /** Checked between steps. */
  shouldStop(): boolean;
}

/** Options of a run that override the feed's context. */
export interface RunOptions {
  readonly executor?: StepExecutor;
  readonly source?: BatchSource;
  /** Called after steps with the number of steps done. */
  readonly onStep?: ((done: number) => void) | undefined;
  /** Called with `performance.now()` when steps are submitted. */
  readonly onSubmit?: (time: number) => void;
}

/** Time that a batch cost the training loop in ms, and queue lengths. */
export interface BatchCosts {
  /** Time that the loop waited for the batch. */
  readonly readerCost: number;
  /** Time to copy the batch to the device. */
  readonly letData: number;
  /** Batches that were ready in the loader when the step requested one. */
  readonly hostQueue: number;
  /** Ready batches of each worker; absent without workers. */
  readonly workerQueues?: readonly number[];
}

/** Host times of a step in ms. */
export interface HostStep extends BatchCosts {
  /**
   * Time from this step's start to the next one's, with an equal part of the time that follows the block's last step. In a
   * sink: the sink's wall time divided by its steps. The batch costs of a block add up to its wall time.
   */
  readonly batchCost: number;
  /**
   * Batches that were staged on the device when it finished its work: a sink, or 0 if it ran out of batches. Null for
   * feeds that do not stage batches.
   */
  readonly deviceQueue: number | null;
  /**
   * Time of the step with `host` or `sync` timing; null otherwise. In a sink: the submits' time divided by the steps.
   */
  readonly timed: number | null;
  /** Average of the gradients over ranks; null or missing on one rank. */
  readonly allReduce?: AllReduceTimes | null;
}

/** Consecutive steps of one variant, measured on the host. */
export interface FedBlock {
  readonly steps: readonly HostStep[];
  /** Time from the first step's start until the device finished the last and copied the block's losses, in ms. */
  readonly wall: number;
  /** Part of `wall` that Deno's own sleep took, in ms. */
  readonly runtimeWait: number;
  /** Losses of the steps. The runtime's sleep at the end of their readback is not part of the wall time. */
  readonly outcomes: readonly StepOutcome[];
  /** Transfers of each bucket of gradients; missing on one rank. */
  readonly buckets?: readonly BucketTimes[];
  /** True if `shouldStop` ended the block early. */
  readonly interrupted: boolean;
}

/** Runs steps and measures them on the host's clock. */
export interface Feed {
  /** True if the times of a step are means over its sink. */
  readonly amortised: boolean;
  run(steps: number, options?: RunOptions): Promise<FedBlock>;
  /** Allocates the feed's device buffers anew, with their content. */
  relocate(placement: Placement): void;
  /** Frees the feed's device buffers. */
  free(): void;
}

/**
 * Takes the batches of the next step as {@linkcode takeBatch} does, and returns the sum of their costs and the queue before
 * the first.
 *
 * @param use copies the tensors of a batch and its number in the step
 */
export async function takeStep(
  source: BatchSource,
  recorder: Recorder | null,
  batches: number,
  use: (tensors: BatchTensors, n: number) => readonly FieldUpload[] | void,
): Promise<BatchCosts> {
  const first = await takeBatch(source, recorder, (tensors) => use(tensors, 0));
  let { readerCost, letData } = first;
  for (let n = 1; n < batches; n++) {
    const next = await takeBatch(source, recorder, (tensors) => use(tensors, n));
    readerCost += next.readerCost;
    letData += next.letData;
  }
  return { ...first, readerCost, letData };
}

/**
 * Takes the next batch, passes its tensors to `use`, and releases the batch.
 *
 * @param use copies the tensors to the device and returns when each was copied; null without a device
 */
export async function takeBatch(
  source: BatchSource,
  recorder: Recorder | null,
  use: ((tensors: BatchTensors) => readonly FieldUpload[] | void) | null,
): Promise<BatchCosts> {
  const hostQueue = source.queueDepth();
  const workerQueues = source.filledSlots?.() ?? null;
  const start = performance.now();
  const batch = await source.next();
  const taken = performance.now();
  let copied: number;
  let uploads: readonly FieldUpload[] = [];
  let bytes = 0;
  try {
    if (batch.size > 0) uploads = use?.(batch.tensors) ?? [];
    copied = performance.now();
    for (const name in batch.tensors) bytes += batch.tensors[name]!.byteLength;
    if (recorder?.keeping) {
      const { making, inside } = batchSpans(batch, start, taken);
      recorder.keep(making);
      for (const span of inside) recorder.keepDetail(span);
    }
  } finally {
    batch.release();
  }
  if (workerQueues !== null) {
    recorder?.counter("host queue", hostQueue, start);
    workerQueues.forEach((filled, worker) => recorder?.counter(`worker ${worker} queue`, filled, start));
  }
  recorder?.span("main", "load dataset", start, taken);
  if (use !== null) {
    recorder?.span("main", "let data", taken, copied);
    for (const { name, start, end } of uploads) recorder?.span("main", uploadOf(name), start, end);
    recordCopy(recorder, "batch", taken, copied, bytes);
  }
  return {
    readerCost: taken - start,
    letData: copied - taken,
    hostQueue,
    ...workerQueues === null ? {} : { workerQueues },
  };
}

/** Records the readback of the losses of `count` steps, from `start` until now. */
export function recordLosses(recorder: Recorder | null, count: number, start: number): void {
  const end = performance.now();
  recorder?.span("main", "monitor loss", start, end);
  recordCopy(recorder, "losses", start, end, count * LOSS_RING_WORDS * 4);
}

const EMPTY: Batch = {
  index: 0,
  epoch: 0,
  size: 0,
  count: 0,
  tensors: {},
  waitMs: 0,
  workMs: 0,
  worker: null,
  beganAt: 0,
  stages: { timed: 0, names: [], ms: [], slotWaitMs: 0 },
  release: () => {},
};

/** Source of empty batches: nothing is loaded or copied, so a feed reuses the batch on the device. */
export const RESIDENT_BATCHES: BatchSource = {
  next: () => Promise.resolve(EMPTY),
  queueDepth: () => 0,
};
