/**
 * The bottleneck of a variant's step, by its trace and by ablations.
 *
 * @module
 */
import type { Bottleneck } from "../../result/bottleneck.ts";
import type { Peaks } from "../../result/roofline.ts";
import type { VariantResult } from "../../result/variant.ts";
import { ablationRecords } from "./ablation_records.ts";
import { readAblations } from "./by_ablations.ts";
import { readDevice } from "./by_device.ts";
import { readRules } from "./by_rules.ts";
import type { MeasuredAblations } from "./measured_ablations.ts";
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
