import { parentPort } from "node:worker_threads";
import { TachoError } from "../../core/errors.ts";
import { BatchMaker } from "./batch_maker.ts";
import { allocateBatch, type BatchMemory, type BatchPlan } from "./batch_plan.ts";
import { sharedNow } from "./batch_record.ts";
import { Ring, type RingMemory } from "./ring.ts";

/** What a worker is told at its start. */
export interface WorkerJob {
  /** Its number, from 0. */
  readonly worker: number;
  readonly plan: BatchPlan;
  readonly memory: RingMemory;
  /** The global index of the ring's first batch. */
  readonly startBatch: number;
}

/** A batch that is sent by structured clone, where the ring holds none. */
export interface BatchMessage extends BatchMemory {
  readonly k: number;
}

/** Ends the making of a batch that nobody will take. */
class Closed extends Error {}

/**
 * A worker's life: claims batches and fills their slots until the ring is closed, or until a batch cannot be made, whose
 * slot then gets the reason. The thread returns to its event loop only where the source makes it wait.
 */
export async function serve({ worker, plan, memory, startBatch }: WorkerJob): Promise<void> {
  const ring = new Ring(memory);
  const own = memory.holdsBatches ? null : allocateBatch(plan);
  let parked = 0;
  const beforeSample = (sample: number) => {
    ring.beat(worker, sample);
    const ms = ring.pass();
    if (ms === null) throw new Closed();
    parked += ms;
    return ms;
  };
  let maker: BatchMaker | null = null;
  for (let claim = ring.claim(worker); claim !== null; claim = ring.claim(worker)) {
    const { k, slotWaitMs } = claim;
    try {
      if (maker === null) {
        maker = await BatchMaker.open(plan);
        ring.nameStages(JSON.stringify(maker.meter.stages));
      }
      const began = performance.now();
      parked = 0;
      const batch = own ?? { input: ring.input(k), target: ring.target(k) };
      const pending = maker.make(startBatch + k, batch, beforeSample);
      if (pending !== undefined) await pending;
      const made = performance.now();
      if (own !== null) parentPort!.postMessage({ k, ...batch } satisfies BatchMessage);
      if (maker.skipReason !== null) ring.noteSkip(worker, maker.skipReason);
      ring.publish(k, {
        worker,
        beganAt: performance.timeOrigin + began,
        publishedAt: sharedNow(),
        makeMs: made - began - parked,
        slotWaitMs,
        publishMs: performance.now() - made,
        skipped: maker.skipped,
        timed: maker.meter.timed,
        stages: maker.meter.sums,
      });
    } catch (error) {
      if (!(error instanceof Closed)) ring.publishFailure(k, worker, reason(error, startBatch + k));
      break;
    }
  }
  maker?.close();
}

/** Messages for users stay as they are; others need their place. */
function reason(error: unknown, index: number): string {
  if (error instanceof TachoError) return error.message;
  return `Batch ${index} cannot be made: ${error instanceof Error ? error.stack ?? error.message : error}`;
}
