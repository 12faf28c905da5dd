import { setTimeout as sleep } from "node:timers/promises";
import type { Loader } from "../data/loader/loader.ts";

/** The longest time that the queue gets to fill up again: milliseconds. */
const REFILL_MS = 2000;

/**
 * Has the loader note every stretch of its batches' making, and gives up those that were made before: their traces
 * would be empty. The queue is as full afterwards as it was, where that takes no longer than 2 s.
 */
export async function traceBatches(loader: Loader, shouldStop: () => boolean): Promise<void> {
  loader.trace(true);
  if (loader.slots === null) return;
  const depth = loader.queueDepth();
  // Those that are ready, and those that are being made
  for (let i = 0; i < Math.min(loader.slots, depth + loader.numWorkers) && !shouldStop(); i++) {
    (await loader.next()).release();
  }
  const end = performance.now() + REFILL_MS;
  while (loader.queueDepth() < depth && performance.now() < end && !shouldStop()) await sleep(2);
}
