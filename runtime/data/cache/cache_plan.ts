/**
 * The memory of a cache of samples, as plain data that is cloned to workers.
 *
 * @module
 */
import { InputError } from "../../core/errors.ts";
import { formatMemory } from "../../core/memory.ts";
import { reasonOf } from "../../core/shown.ts";
import { createCacheFile } from "./cache_file.ts";
import type { CacheSettings } from "./settings.ts";

/** Bytes to which samples are aligned in a cache. */
export const ENTRY_ALIGNMENT = 64;

/** Words before the slots of the samples in `CachePlan.index`. */
export const HEADER_WORDS = 8;

/** Words of `CachePlan.index` that count something. */
export const COUNTER = { next: 0, hits: 1, misses: 2, stored: 3, full: 4 } as const;

/** Memory of a cache, which all threads share. */
export interface CachePlan {
  /** Transforms of the list before the cache. */
  readonly after: number;
  /** Largest size in bytes. */
  readonly limit: number;
  /** i32 words: the counters, then for each sample its slot: place and state. */
  readonly index: SharedArrayBuffer;
  /** u32 words: bytes of each sample. */
  readonly sizes: SharedArrayBuffer;
  /** Samples in memory; null for a file. */
  readonly data: SharedArrayBuffer | null;
  /** File of the samples; null for memory. */
  readonly path: string | null;
}

/** State of a cache. */
export interface CacheUse {
  readonly in: "memory" | "file";
  /** Samples in it. */
  readonly samples: number;
  /** Bytes of these samples. */
  readonly bytes: number;
  /** Limit in bytes. */
  readonly limit: number;
  /** True once a sample did not fit. */
  readonly full: boolean;
  /** Samples that were found in it, and that were not, since the start. */
  readonly hits: number;
  readonly misses: number;
}

/**
 * Allocates a cache for the samples of a split. Pages of memory and blocks of a file are taken as samples come.
 *
 * @param length samples in the split
 * @param size bytes of one sample; null if samples differ in size
 * @throws {InputError} if the memory or the file cannot be allocated
 */
export function allocateCache(
  { in: place, after, limit }: CacheSettings,
  length: number,
  size: number | null,
): CachePlan {
  const all = size === null ? limit : length * roundUp(size);
  const capacity = Math.floor(Math.min(limit, all) / ENTRY_ALIGNMENT) * ENTRY_ALIGNMENT;
  const common = {
    after,
    limit: capacity,
    index: new SharedArrayBuffer(4 * (HEADER_WORDS + length)),
    sizes: new SharedArrayBuffer(4 * length),
  };
  if (place === "file") return { ...common, data: null, path: createCacheFile() };
  try {
    return { ...common, data: new SharedArrayBuffer(capacity), path: null };
  } catch (error) {
    throw new InputError(
      `data.cache: ${formatMemory(capacity)} of memory cannot be allocated (${reasonOf(error)}); ` +
        'lower data.cache.limit, or use a cache in a "file"',
      { cause: error },
    );
  }
}

/** Returns the state of a cache. */
export function cacheUse({ index, data, limit }: CachePlan): CacheUse {
  const words = new Int32Array(index);
  const count = (at: number) => Atomics.load(words, at) >>> 0;
  return {
    in: data === null ? "file" : "memory",
    samples: count(COUNTER.stored),
    bytes: Math.min(limit, count(COUNTER.next) * ENTRY_ALIGNMENT),
    limit,
    full: count(COUNTER.full) > 0,
    hits: count(COUNTER.hits),
    misses: count(COUNTER.misses),
  };
}

/** Returns the bytes that a sample takes in a cache. */
export function roundUp(bytes: number): number {
  return Math.ceil(bytes / ENTRY_ALIGNMENT) * ENTRY_ALIGNMENT;
}
