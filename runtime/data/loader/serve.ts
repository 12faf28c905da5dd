import { sharedNow } from "../../core/clock.ts";
import { parentPort } from "node:worker_threads";
import { TachoError } from "../../core/errors.ts";
import { reasonOf } from "../../core/shown.ts";
import type { FieldArrays } from "../fields.ts";
import { BatchMaker } from "./batch_maker.ts";
import { allocateBatch, type BatchPlan } from "./batch_plan.ts";
import type { RingMemory } from "./ring_memory.ts";
import { RetiredError } from "./sample_error.ts";
import { WorkerRing } from "./worker_ring.ts";

/** Job of a worker thread. */
export interface WorkerJob {
  /** Number of the worker, from 0. */
  readonly worker: number;
  /** Number of its thread. */
  readonly generation: number;
  /** Batch that a lost thread has left, as a number in the ring, or null. */
  readonly left: number | null;
  readonly plan: BatchPlan;
  readonly memory: RingMemory;
  /** Global index of the ring's first batch. */
  readonly startBatch: number;
}

/** Batch sent by structured clone, if the ring holds no batches. */
export interface BatchMessage {
  readonly k: number;
  readonly tensors: FieldArrays;
}

/**
 * Runs a worker: claims batches and fills their slots until the ring is closed or a batch fails, whose slot then gets the
 * reason. The thread returns to its event loop only if the source returns a promise, or user code makes samples.
 */
export async function serve({ worker, generation, left, plan, memory, startBatch }: WorkerJob): Promise<void> {
  const ring = new WorkerRing(memory, worker, generation);
  const own = memory.holdsBatches ? null : allocateBatch(plan);
  let parked = 0;
  const stillNeeded = () => {
    if (ring.retired) throw new RetiredError();
  };
  const beforeSample = (sample: number) => {
    stillNeeded();
    ring.beat(sample);
    const ms = ring.pass();
    if (ms === null) throw new RetiredError();
    parked += ms;
    return ms;
  };
  let maker: BatchMaker | null = null;
  for (let claim = ring.claim(left); claim !== null; claim = ring.claim()) {
    const { k, slotWaitMs } = claim;
    try {
      if (maker === null) {
        const thread = `data worker ${worker} of ${memory.workers}`;
        maker = await BatchMaker.open(plan, { thread, beforeSample, stillNeeded, lost: (sample) => ring.lost(sample) });
        ring.nameStages(JSON.stringify(maker.meter.stages));
      }
      maker.meter.tracing = ring.tracing;
      const began = performance.now();
      parked = 0;
      const batch = own ?? ring.tensors(k);
      const pending = maker.make(startBatch + k, batch);
      if (pending !== undefined) await pending;
      const made = performance.now();
      stillNeeded();
      if (own !== null) parentPort!.postMessage({ k, tensors: batch } satisfies BatchMessage);
      if (maker.skipReason !== null) ring.note("skip", maker.skipReason);
      if (maker.warning !== null) ring.note("warning", maker.warning);
      ring.publish(k, {
        worker,
        beganAt: performance.timeOrigin + began,
        publishedAt: sharedNow(),
        makeMs: made - began - parked,
        slotWaitMs,
        publishMs: performance.now() - made,
        skipped: maker.skipped,
        warned: maker.warned,
        timed: maker.meter.timed,
        stages: maker.meter.sums,
      }, maker.meter.laps);
    } catch (error) {
      if (!(error instanceof RetiredError)) ring.publishFailure(k, reason(error, startBatch + k));
      break;
    }
  }
  maker?.close();
}

/** Formats a failure; errors that are not for users get the batch and the stack. */
function reason(error: unknown, index: number): string {
  if (error instanceof TachoError) return error.message;
  return `Batch ${index} cannot be made: ${error instanceof Error ? error.stack ?? reasonOf(error) : reasonOf(error)}`;
}
