import { InputError } from "../../core/errors.ts";
import type { SamplePlan } from "../samples.ts";
import { allocateCache, type CachePlan } from "./cache_plan.ts";
import { cachePoint } from "./cache_point.ts";
import { cachedBytes } from "./cached_source.ts";
import type { CacheSettings } from "./settings.ts";

/**
 * Allocates the cache of a split's samples.
 *
 * @throws {InputError} if samples cannot be indexed, or the memory or the file cannot be allocated
 */
export function openCache(settings: CacheSettings, plan: SamplePlan): CachePlan {
  if (plan.source.sequential) {
    throw new InputError(
      "data.cache: samples of this source arrive in one order and have no index; expected null, or a source with " +
        "get(index)",
    );
  }
  const { type } = cachePoint({ ...plan, cache: settings });
  return allocateCache(settings, plan.source.length, cachedBytes(plan.source, type));
}
