/**
 * What bounds a variant's step: by its trace, and by taking parts of it away.
 *
 * @module
 */
import type { Bottleneck } from "../../result/bottleneck.ts";
import type { Peaks } from "../../result/roofline.ts";
import type { VariantResult } from "../../result/variant.ts";
import { armRecords } from "./arm_records.ts";
import { readArms } from "./by_arms.ts";
import { readDevice } from "./by_device.ts";
import { readRules } from "./by_rules.ts";
import type { MeasuredArms } from "./measured_arms.ts";
import { armTimes } from "./shares.ts";

/**
 * Both readings, which may disagree. Null where neither can be made.
 *
 * @param measured null where no arms were run
 * @param peaks null where they were not measured
 */
export function bottleneckOf(
  variant: Pick<VariantResult, "metrics" | "pipeline" | "ops">,
  measured: MeasuredArms | null,
  peaks: Peaks | null,
): Bottleneck | null {
  const byRules = readRules(variant);
  const byArms = measured === null ? null : readArms(measured);
  if (byRules === null && byArms === null) return null;
  return {
    byRules,
    byArms,
    arms: measured === null ? [] : armRecords(measured),
    device: measured === null || peaks === null ? null : deviceOf(variant.ops, measured, peaks),
  };
}

function deviceOf(ops: VariantResult["ops"], measured: MeasuredArms, peaks: Peaks): Bottleneck["device"] {
  const { launch, device } = armTimes(measured);
  return launch === null || device === null ? null : readDevice(ops, peaks, launch / device);
}
