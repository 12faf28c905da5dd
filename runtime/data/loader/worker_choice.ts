import { availableParallelism } from "node:os";
import type { Loader, WorkerChoice } from "./loader.ts";

/** A number of workers is measured for this long, after each of them has made a batch: milliseconds. */
const MEASURE_MS = 300;

/** A slow loader is given up on after so many batches a worker. */
const LEAST_BATCHES = 2;

/** More workers than this are not tried, and no more are tried once they stop to bring this factor. */
const MOST_WORKERS = 32;
const WORTH = 1.1;

/** The fewest workers that reach this part of the best are chosen. */
const ENOUGH = 0.95;

/**
 * Finds the number of workers by measuring the loader alone with 0 (or `least`), 1, 2, 4, ... of them, until the cores
 * are used up and more bring less than 10 %. The fewest that come within 5 % of the fastest are chosen: threads that
 * bring nothing take time from others.
 *
 * @param open makes a loader with that many workers
 */
export async function chooseWorkers(
  open: (numWorkers: number) => Promise<Loader>,
  least: 0 | 1 = 0,
  cores = availableParallelism(),
): Promise<WorkerChoice> {
  const measured: { numWorkers: number; samplesPerSecond: number }[] = [];
  let best = 0;
  for (let numWorkers: number = least; numWorkers <= MOST_WORKERS; numWorkers = numWorkers === 0 ? 1 : numWorkers * 2) {
    await using loader = await open(numWorkers);
    const samplesPerSecond = await measure(loader);
    measured.push({ numWorkers, samplesPerSecond });
    const worth = samplesPerSecond > best * WORTH;
    best = Math.max(best, samplesPerSecond);
    if (!worth && numWorkers >= cores) break;
  }
  const chosen = measured.find(({ samplesPerSecond }) => samplesPerSecond >= ENOUGH * best)!;
  return { measured, chosen: chosen.numWorkers };
}

/** Samples per second once every worker has begun, and the batches that were ready by then are taken. */
async function measure(loader: Loader): Promise<number> {
  const ahead = loader.slots ?? 1;
  for (let i = 0; i < ahead; i++) (await loader.next()).release();
  const least = LEAST_BATCHES * Math.max(1, loader.numWorkers);
  const begin = performance.now();
  let samples = 0;
  for (let batches = 0; batches < least || performance.now() - begin < MEASURE_MS; batches++) {
    const batch = await loader.next();
    samples += batch.size;
    batch.release();
  }
  return samples / (performance.now() - begin) * 1000;
}
