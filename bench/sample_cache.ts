/**
 * Time to read a sample from a cache, in memory and in a file, in random order. The constants of the rule `cache-samples`
 * come from it.
 *
 *     deno task bench:cache
 */
import { removeCacheFile } from "../runtime/data/cache/cache_file.ts";
import { allocateCache } from "../runtime/data/cache/cache_plan.ts";
import { SampleCache } from "../runtime/data/cache/sample_cache.ts";

/** Bytes of all samples together. */
const TOTAL = 128 * 2 ** 20;

/** Bytes of a sample: of CIFAR-10, and of a 224 x 224 image as bytes and as f32. */
const SIZES = [3072, 150_528, 602_112];

/** Passes over all samples, of which the median counts. */
const PASSES = 7;

/** Step between samples, a prime, so that each pass reads every sample once and none after its neighbour. */
const STRIDE = 7919;

/** Returns the median time to read a sample and copy it, in microseconds. */
function measure(place: "memory" | "file", size: number): number {
  const length = Math.floor(TOTAL / size);
  const plan = allocateCache({ in: place, after: 0, limit: 4 * TOTAL, fill: true }, length, size);
  const cache = new SampleCache(plan);
  try {
    for (let sample = 0; sample < length; sample++) {
      const { bytes, write, publish } = cache.claim(sample, size)!;
      new Uint8Array(bytes.buffer, bytes.byteOffset, size).fill(sample);
      write();
      publish();
    }
    const copy = new Uint8Array(size);
    const times = Array.from({ length: PASSES }, () => {
      const begin = performance.now();
      for (let i = 0; i < length; i++) {
        const { buffer, byteOffset } = cache.find(i * STRIDE % length)!;
        copy.set(new Uint8Array(buffer, byteOffset, size));
      }
      return (performance.now() - begin) / length * 1000;
    });
    return times.toSorted((a, b) => a - b)[PASSES >> 1]!;
  } finally {
    cache.close();
    if (plan.path !== null) removeCacheFile(plan.path);
  }
}

for (const place of ["memory", "file"] as const) {
  for (const size of SIZES) {
    const us = measure(place, size);
    console.log(
      `${place.padEnd(6)} ${String(size).padStart(7)} bytes ${us.toFixed(2).padStart(8)} us ${
        (size / us / 1000).toFixed(2).padStart(6)
      } GB/s`,
    );
  }
}
