import { setTimeout as sleep } from "node:timers/promises";
import type { Loader } from "../data/loader/loader.ts";

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
