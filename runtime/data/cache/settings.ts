import { z } from "zod";
import { byteSize } from "../byte_size.ts";
import { nonNegativeInteger } from "../checked.ts";

/** Default limit of a cache in bytes. */
export const DEFAULT_CACHE_LIMIT = 2 ** 30;

const cacheFields = z.strictObject({
  in: z.enum(["memory", "file"], { error: 'expected "memory" or "file"' })
    .describe("place of the samples: memory that the workers share, or a file that is deleted with the loader"),
  after: nonNegativeInteger.default(0)
    .describe("transforms before the cache, which then run once for each sample; they must draw no random numbers"),
  limit: byteSize.default(DEFAULT_CACHE_LIMIT)
    .describe("largest size of the cache, such as 4GiB; samples beyond it are made in every epoch"),
  fill: z.boolean({ error: "expected true or false" }).default(true)
    .describe("fill it before the first batch, to measure epochs from the second on; false: during the first epoch"),
}, { error: 'expected "memory", "file", null or a record such as { in: "memory", after: 2 }' });

/** Schema of a source's cache. */
export const cacheSchema = cacheFields.nullable().default(null)
  .describe("keep samples behind the source or some of its transforms, and make them once; null: in every epoch")
  .meta({ short: '"memory" | "file"' });

export type CacheSettings = z.output<typeof cacheFields>;

/** Expands the short form of a cache in a source's options: `cache: "memory"` becomes `{ in: "memory" }`. */
export function withCache(options: object | undefined): object | undefined {
  const { cache } = (options ?? {}) as { readonly cache?: unknown };
  return typeof cache === "string" ? { ...options, cache: { in: cache } } : options;
}
