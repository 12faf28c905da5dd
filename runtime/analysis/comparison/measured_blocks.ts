import { partOf, type Statistic } from "../../core/percentile.ts";
import { quantile } from "../../core/statistics.ts";
import type { Block } from "../../result/schema.ts";

/**
 * Returns blocks whose wall time is what their steps would take if each took a percentile of them, so that all comparisons
 * of blocks are of this percentile; the blocks themselves for the mean. One without times of single steps has no time.
 */
export function measuredBlocks(blocks: readonly Block[], statistic: Statistic): readonly Block[] {
  const part = partOf(statistic);
  if (part === null) return blocks;
  return blocks.map((block) => {
    const times = block.steps.flatMap(({ batchCost }) => batchCost ?? []);
    const isTimed = times.length > 0 && times.length === block.steps.length;
    const sorted = times.toSorted((a, b) => a - b);
    return { ...block, wall: isTimed ? quantile(sorted, part) * times.length : NaN };
  });
}
