import type { HostWork, VariantResult } from "../result/schema.ts";

/**
 * The part of the blocks' wall time that work of the host took. Null for losses that are read when a sink or a block is
 * over: not all of that is in the wall time.
 */
export function hostShare(work: HostWork, { blocks, config }: Pick<VariantResult, "blocks" | "config">): number | null {
  const wall = blocks.reduce((sum, block) => sum + block.wall, 0);
  if (wall <= 0 || readAfterwards(work, config)) return null;
  return work.total / wall;
}

function readAfterwards({ name }: HostWork, config: VariantResult["config"]): boolean {
  return name === "monitor loss" && (config.monitor !== "step" || config.sink !== 0);
}
