/**
 * The bottleneck of a variant's step, by its trace and by ablations.
 *
 * @module
 */
import type { Bottleneck } from "../../result/bottleneck.ts";
import type { Peaks } from "../../result/roofline.ts";
import type { VariantResult } from "../../result/variant.ts";
import { estimateLogs, ratioOf } from "../comparison/estimate.ts";
import { readAblations } from "./by_ablations.ts";
import { readDevice } from "./by_device.ts";
import { readRules } from "./by_rules.ts";
import { type AblationBlock, type MeasuredAblations, TAKEN_AWAY } from "./measured_ablations.ts";
import { ablationTimes } from "./shares.ts";

/**
 * Returns both readings, which may disagree; null if neither is possible.
 *
 * @param measured null without ablations
 * @param peaks null if not measured
 */
export function bottleneckOf(
  variant: Pick<VariantResult, "metrics" | "pipeline" | "config" | "ops">,
  measured: MeasuredAblations | null,
  peaks: Peaks | null,
): Bottleneck | null {
  const byRules = readRules(variant);
  const byArms = measured === null ? null : readAblations(measured);
  if (byRules === null && byArms === null) return null;
  return {
    byRules,
    byArms,
    arms: measured === null ? [] : ablationRecords(measured),
    device: measured === null || peaks === null ? null : deviceOf(variant.ops, measured, peaks),
  };
}

function deviceOf(ops: VariantResult["ops"], measured: MeasuredAblations, peaks: Peaks): Bottleneck["device"] {
  const { launch, device } = ablationTimes(measured);
  return launch === null || device === null ? null : readDevice(ops, peaks, launch / device);
}

/** Returns the ablations for the result: time per step of the whole step / of the ablation, paired by round. */
function ablationRecords({ whole, ablations }: MeasuredAblations): Bottleneck["arms"] {
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
