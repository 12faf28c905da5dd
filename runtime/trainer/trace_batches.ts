import { setTimeout as sleep } from "node:timers/promises";
import type { Loader } from "../data/loader/loader.ts";
import { batchSpans } from "./feed/batch_spans.ts";
import type { Recorder } from "../record/recorder.ts";

/** Maximum time in ms to wait until the queue is refilled. */
const REFILL_MS = 2000;

/**
 * Makes the loader trace its batches, and drops the batches that it made before, whose traces would be empty. Then
 * waits up to 2 s until the queue is as full as before.
 */
export async function traceBatches(loader: Loader, shouldStop: () => boolean): Promise<void> {
  loader.trace(true);
  if (loader.slots === null) return;
  const depth = loader.queueDepth();
  // Drop ready batches and those in progress
  for (let i = 0; i < Math.min(loader.slots, depth + loader.numWorkers) && !shouldStop(); i++) {
    (await loader.next()).release();
  }
  const end = performance.now() + REFILL_MS;
  while (loader.queueDepth() < depth && performance.now() < end && !shouldStop()) await sleep(2);
}

/** Adds the batches to the trace that workers made during the profiled steps and that no step has taken. Drops them. */
export async function keepMade(loader: Loader, recorder: Recorder): Promise<void> {
  if (loader.slots === null || !recorder.keeping) return;
  const end = performance.now();
  for (let ready = loader.queueDepth(); ready > 0; ready--) {
    const batch = await loader.next();
    const { making, inside } = batchSpans(batch, end, end);
    batch.release();
    if (making.start >= end) continue;
    recorder.keep(making);
    for (const span of inside) recorder.keepDetail(span);
  }
}
