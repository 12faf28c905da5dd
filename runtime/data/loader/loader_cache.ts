import { type CachePlan, type CacheUse, cacheUse } from "../cache/cache_plan.ts";
import { removeCacheFile } from "../cache/cache_file.ts";

/** State of a loader's cache. `hits` and `misses` count since the last reset. */
export interface CacheProfile extends CacheUse {
  /** Milliseconds to fill it before the first batch; null if it was not. */
  readonly fillMs: number | null;
}

/** Record of filling a cache before the first batch. */
export interface Filling {
  /** Milliseconds that it took. */
  readonly ms: number;
  /** Number of samples with a warning, and the first warnings. */
  readonly warned: number;
  readonly warnings: readonly string[];
}

/** Cache of a loader, on the thread of its consumer. */
export class LoaderCache {
  readonly #plan: CachePlan;
  /** Record of filling the cache before the first batch; null if that did not happen. */
  readonly filling: Filling | null;
  #hits = 0;
  #misses = 0;

  constructor(plan: CachePlan, filling: Filling | null) {
    this.#plan = plan;
    this.filling = filling;
    this.reset();
  }

  /** Counts hits and misses from now on. */
  reset(): void {
    const { hits, misses } = cacheUse(this.#plan);
    this.#hits = hits;
    this.#misses = misses;
  }

  profile(): CacheProfile {
    const { hits, misses, ...use } = cacheUse(this.#plan);
    return { ...use, hits: hits - this.#hits, misses: misses - this.#misses, fillMs: this.filling?.ms ?? null };
  }

  /** Removes its file, if it has one. */
  close(): void {
    if (this.#plan.path !== null) removeCacheFile(this.#plan.path);
  }
}
