import { formatMemory } from "../core/memory.ts";
import type { Pipeline } from "../result/pipeline.ts";
import { formatCount, formatCounted, formatNumber, formatPercent } from "./format.ts";

/** Describes the cache of a pipeline; null without one. */
export function cacheSentence({ cache }: Pipeline): string | null {
  if (cache === undefined) return null;
  const { samples, bytes, limit, full, hits, misses, fillMs } = cache;
  const place = cache.in === "memory" ? "memory" : "a file";
  const used = full ? `full at ${formatMemory(limit)}` : formatMemory(bytes);
  const filled = fillMs === null ? "" : `, filled in ${formatNumber(fillMs / 1000)} s before the first batch`;
  const found = hits + misses === 0 ? "" : `; ${formatPercent(hits / (hits + misses))} % of the samples came from it`;
  return `cache in ${place}: ${formatCount(samples)} samples, ${used}${filled}${found}`;
}

/** Formats the number of samples with warnings, and the first warning; null without any. */
export function warningSentence({ warnings }: Pick<Pipeline, "warnings">): string | null {
  if (warnings === undefined) return null;
  return `${formatCounted(warnings.samples, "sample")} decoded with warnings; first warning: ${warnings.first}`;
}
