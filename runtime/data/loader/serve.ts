import { TachoError } from "../../core/errors.ts";
import { BatchMaker, type BatchPlan } from "./batch_maker.ts";
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

/** Ends the making of a batch that nobody will take. */
class Closed extends Error {}

/**
 * A worker's life: claims batches and fills their slots until the ring is closed, or until a batch cannot be made, whose
 * slot then gets the reason. The thread never returns to its event loop before.
 */
export function serve({ worker, plan, memory, startBatch }: WorkerJob): void {
  const ring = new Ring(memory);
  const beforeSample = () => {
    ring.beat(worker);
    if (!ring.pass()) throw new Closed();
  };
  let maker: BatchMaker | null = null;
  for (let k = ring.claim(worker); k !== null; k = ring.claim(worker)) {
    try {
      const begin = performance.now();
      maker ??= new BatchMaker(plan);
      maker.make(startBatch + k, ring.input(k), ring.target(k), beforeSample);
      ring.publish(k, performance.now() - begin);
    } catch (error) {
      if (!(error instanceof Closed)) {
        ring.publishFailure(k, worker, reason(error, startBatch + k));
      }
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
