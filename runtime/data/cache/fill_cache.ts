import type { Loader } from "../loader/loader.ts";
import type { Filling } from "../loader/loader_cache.ts";
import { type CachePlan, cacheUse } from "./cache_plan.ts";

/**
 * Makes batches of all samples, until the cache is full.
 *
 * @param loader loader of every sample in order
 * @param onBatch called with the samples in the cache
 * @throws {InputError} if a sample is invalid
 * @throws {InterruptedError} if the loader's `shouldStop` returns true
 */
export async function fillCache(
  cache: CachePlan,
  loader: Loader,
  onBatch: (samples: number) => void = () => {},
): Promise<Filling> {
  const begin = performance.now();
  for (let i = 0; i < loader.batchesPerEpoch && !cacheUse(cache).full; i++) {
    (await loader.next()).release();
    onBatch(cacheUse(cache).samples);
  }
  const { warned, warnings } = loader.profile();
  return { ms: performance.now() - begin, warned, warnings };
}
