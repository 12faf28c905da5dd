import type { HostWork, VariantResult } from "../result/schema.ts";

/**
 * Returns the fraction of the blocks' wall time that a kind of host work took. Null for losses read at the end of a sink or
 * block, which is partly outside the wall time.
 */
export function hostShare(work: HostWork, { blocks, config }: Pick<VariantResult, "blocks" | "config">): number | null {
  const wall = blocks.reduce((sum, block) => sum + block.wall, 0);
  if (wall <= 0 || readAfterwards(work, config)) return null;
  return work.total / wall;
}

function readAfterwards({ name }: HostWork, config: VariantResult["config"]): boolean {
  return name === "monitor loss" && (config.monitor !== "step" || config.sink !== 0);
}
