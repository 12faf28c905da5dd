import type { Bottleneck } from "../../result/bottleneck.ts";
import { estimateLogs, ratioOf } from "../comparison/estimate.ts";
import { type ArmBlock, type MeasuredArms, TAKEN_AWAY } from "./measured_arms.ts";

/** The arms as the result has them: time per step of the whole / of the arm, paired round by round. */
export function armRecords({ whole, arms }: MeasuredArms): Bottleneck["arms"] {
  return [...arms].flatMap(([name, blocks]) => {
    const logs = pairs(whole, blocks).map(([all, part]) => Math.log(all.batchCost / part.batchCost));
    const estimate = estimateLogs(logs);
    if (estimate === null) return [];
    const batchCost = blocks.reduce((sum, block) => sum + block.batchCost, 0) / blocks.length;
    return [{ name, what: TAKEN_AWAY[name], rounds: logs.length, batchCost, ratio: ratioOf(estimate) }];
  });
}

function pairs(whole: readonly ArmBlock[], arm: readonly ArmBlock[]): [ArmBlock, ArmBlock][] {
  return whole.flatMap((all) => {
    const part = arm.find(({ round }) => round === all.round);
    return part === undefined || !(part.batchCost > 0 && all.batchCost > 0)
      ? []
      : [[all, part] as [ArmBlock, ArmBlock]];
  });
}
