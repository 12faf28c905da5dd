import type { Bottleneck } from "../../result/bottleneck.ts";
import { estimateLogs, ratioOf } from "../comparison/estimate.ts";
import { type AblationBlock, type MeasuredAblations, TAKEN_AWAY } from "./measured_ablations.ts";

/** Returns the ablations for the result: time per step of the whole step / of the ablation, paired by round. */
export function ablationRecords({ whole, ablations }: MeasuredAblations): Bottleneck["arms"] {
  return [...ablations].flatMap(([name, blocks]) => {
    const logs = pairs(whole, blocks).map(([all, part]) => Math.log(all.batchCost / part.batchCost));
    const estimate = estimateLogs(logs);
    if (estimate === null) return [];
    const batchCost = blocks.reduce((sum, block) => sum + block.batchCost, 0) / blocks.length;
    return [{ name, what: TAKEN_AWAY[name], rounds: logs.length, batchCost, ratio: ratioOf(estimate) }];
  });
}

function pairs(whole: readonly AblationBlock[], ablated: readonly AblationBlock[]): [AblationBlock, AblationBlock][] {
  return whole.flatMap((all) => {
    const part = ablated.find(({ round }) => round === all.round);
    return part === undefined || !(part.batchCost > 0 && all.batchCost > 0)
      ? []
      : [[all, part] as [AblationBlock, AblationBlock]];
  });
}
