import { availableParallelism } from "node:os";
import type { Loader, WorkerChoice } from "./loader.ts";

/** Measuring time for each number of workers in milliseconds, after each of them has made a batch. */
const MEASURE_MS = 300;

/** Minimum number of batches per worker to measure, even if they take longer. */
const MIN_BATCHES = 2;

/** Largest number of workers to try. */
const MAX_WORKERS = 32;

/** Speed-up of twice as many workers at which to try even more than there are cores. */
const WORTH = 1.1;

/** Fraction of the best throughput that the chosen number of workers must reach. */
const ENOUGH = 0.95;

/**
 * Chooses the number of workers by measuring the loader alone with `least`, 1, 2, 4, ... workers, until there is one per
 * core and doubling them gains less than 10 %. Chooses the fewest within 5 % of the fastest, since needless threads take
 * time from others.
 *
 * @param open opens a loader with the given number of workers
 * @param least fewest workers to try
 */
export async function chooseWorkers(
  open: (numWorkers: number) => Promise<Loader>,
  least: 0 | 1 = 0,
  cores = availableParallelism(),
): Promise<WorkerChoice> {
  const measured: { numWorkers: number; samplesPerSecond: number }[] = [];
  let best = 0;
  for (let numWorkers: number = least; numWorkers <= MAX_WORKERS; numWorkers = numWorkers === 0 ? 1 : numWorkers * 2) {
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

/** Measures samples per second, after every worker has begun and the batches made until then are taken. */
async function measure(loader: Loader): Promise<number> {
  const ahead = loader.slots ?? 1;
  for (let i = 0; i < ahead; i++) (await loader.next()).release();
  const least = MIN_BATCHES * Math.max(1, loader.numWorkers);
  const begin = performance.now();
  let samples = 0;
  for (let batches = 0; batches < least || performance.now() - begin < MEASURE_MS; batches++) {
    const batch = await loader.next();
    samples += batch.size;
    batch.release();
  }
  return samples / (performance.now() - begin) * 1000;
}
