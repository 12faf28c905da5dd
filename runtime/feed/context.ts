import type { BatchTensors } from "../data/shared.ts";
import type { Loader } from "../data/loader/loader.ts";
import type { Device } from "../device/device.ts";
import type { TimestampRecorder } from "../device/timestamps.ts";
import type { BatchBuffers } from "../engine/batch_buffers.ts";
import type { Executor } from "../engine/executor.ts";
import type { Timing } from "../record/timing.ts";
import type { Recorder } from "../record/recorder.ts";
import type { ModelState, StepOutcome } from "../engine/model_state.ts";
import { batchSpans } from "./batch_spans.ts";

/** Where a feed takes its batches from. */
export type BatchSource = Pick<Loader, "next" | "queueDepth"> & Partial<Pick<Loader, "filledSlots">>;

/** What encodes the steps: an executor, or what stands in for one. `phases` are the timed passes of a step. */
export type StepExecutor = Pick<Executor, "encode" | "phases">;

/** What a feed works with: one variant that is ready to run. */
export interface FeedContext {
  readonly device: Device;
  /** Encodes the steps of runs that name no other executor. */
  readonly executor: StepExecutor;
  readonly state: ModelState;
  /** Provides the batches of runs that name no other source. */
  readonly source: BatchSource;
  /** The batch in work on the device. */
  readonly batch: BatchBuffers;
  /** Steps end in a loss, which is read back. */
  readonly hasLoss: boolean;
  /** Null where the adapter has no timestamps. */
  readonly timestamps: TimestampRecorder | null;
  /** Takes the spans of the host's work. */
  readonly recorder: Recorder | null;
  /** How steps are timed; `host` and `event` do not wait for the device between steps. */
  readonly timing: Timing | null;
  /** Looked at between steps. */
  shouldStop(): boolean;
}

/** How a feed runs some steps, where it differs from its usual way. */
export interface RunOptions {
  readonly executor?: StepExecutor;
  readonly source?: BatchSource;
  /** Called between steps with the number of steps done. */
  readonly onStep?: ((done: number) => void) | undefined;
  /** Called with `performance.now()` when steps are submitted. */
  readonly onSubmit?: (time: number) => void;
}

/** What a batch cost the training loop: milliseconds. */
export interface BatchCosts {
  /** The time in which the loop waited for it. */
  readonly readerCost: number;
  /** Copying the batch to the device. */
  readonly letData: number;
  /** Batches that were ready in the loader when the step asked for one. */
  readonly hostQueue: number;
  /** How many of them each worker has made; left out where there are no workers. */
  readonly workerQueues?: readonly number[];
}

/** Host times of a step in milliseconds. */
export interface HostStep extends BatchCosts {
  /** From this step's start to the next one's. In a sink: the sink's wall time / its steps. */
  readonly batchCost: number;
  /**
   * Batches that waited on the device when it had done what it was given: a sink, or 0 where it ran out of them. Null
   * where batches do not wait there.
   */
  readonly deviceQueue: number | null;
  /** Time of the step by a `host` or `sync` timing; null for others. In a sink: the submit's / its steps. */
  readonly timed: number | null;
}

/** Consecutive steps of one variant as the host saw them. */
export interface FedBlock {
  readonly steps: readonly HostStep[];
  /** From the first step's start until the device had done the last: milliseconds. */
  readonly wall: number;
  /** The part of it that was lost in the runtime's own sleep. */
  readonly runtimeWait: number;
  /** Losses of the steps, read when the wall time had been taken. */
  readonly outcomes: readonly StepOutcome[];
  /** It ended early because it was asked to. */
  readonly interrupted: boolean;
}

/** Runs steps and measures them on the host's clock. */
export interface Feed {
  /** A figure of a single step is the mean over its sink. */
  readonly amortised: boolean;
  run(steps: number, options?: RunOptions): Promise<FedBlock>;
  /** Frees what the feed has on the device. */
  free(): void;
}

/**
 * Takes the next batch and hands its tensors to `use`, which copies them to the device; then releases the batch.
 *
 * @param use null without a device
 */
export async function takeBatch(
  source: BatchSource,
  recorder: Recorder | null,
  use: ((tensors: BatchTensors) => void) | null,
): Promise<BatchCosts> {
  const hostQueue = source.queueDepth();
  const workerQueues = source.filledSlots?.() ?? null;
  const start = performance.now();
  const batch = await source.next();
  const taken = performance.now();
  let copied: number;
  let bytes = 0;
  try {
    if (batch.size > 0) use?.(batch.tensors);
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
    // The host's side of the copy; the device's has no timestamps
    recorder?.keep({ track: "copies", name: "host to device (host time)", start: taken, end: copied, args: { bytes } });
  }
  return {
    readerCost: taken - start,
    letData: copied - taken,
    hostQueue,
    ...workerQueues === null ? {} : { workerQueues },
  };
}
