/**
 * Roofline, bottleneck and advice for a profiled loop with a trainer, which has ops and settings like a scenario's variant.
 *
 * @module
 */
import { advise } from "../../analysis/advice/advise.ts";
import { bottleneckOf } from "../../analysis/bottleneck/bottleneck.ts";
import { rooflineOf } from "../../analysis/roofline.ts";
import { memoryLimit } from "../../compile/budget.ts";
import type { Device } from "../../device/device.ts";
import type { Peaks } from "../../record/peaks.ts";
import type { Finding, Result, VariantResult } from "../../result/schema.ts";
import type { TrainerParts } from "../../trainer/trainer.ts";

/** Settings that the loop's own code decides. */
const OF_THE_LOOP: readonly string[] = ["sink", "monitor"];
/** Settings without effect on a loop that passes its own batches. */
const OF_THE_FEED: readonly string[] = ["loader", "data"];

/** A trainer and the machine that it runs on. */
export interface LoopMachine extends Pick<TrainerParts, "config" | "dataset"> {
  readonly device: Device;
  readonly cores: number | null;
  /** Peaks of the adapter; null if unknown. */
  readonly peaks: Peaks | null;
}

/** Adds the bottleneck and advice to the variant of a loop, and places its step on the roofline. */
export function adviseLoop(
  variant: VariantResult,
  { config, dataset, device, cores, peaks }: LoopMachine,
): { readonly variant: VariantResult; readonly roofline: Result["roofline"] } {
  const bottleneck = bottleneckOf(variant, null, peaks);
  const findings = advise({
    variant: { ...variant, bottleneck },
    baseline: null,
    data: { samples: dataset.train.length, sample: dataset.sample },
    cores,
    software: device.info.fallback,
    peaks,
    memoryLimit: memoryLimit(config.memoryBudget, device.info),
  });
  const ownBatches = variant.blocks.some(({ steps }) => steps.some(({ readerCost }) => readerCost === null));
  const foreign = ownBatches ? [...OF_THE_LOOP, ...OF_THE_FEED] : OF_THE_LOOP;
  return {
    variant: { ...variant, bottleneck, findings: findings.filter((finding) => !changesAny(finding, foreign)) },
    roofline: peaks === null ? null : rooflineOf(peaks, [variant]),
  };
}

function changesAny({ changes }: Finding, settings: readonly string[]): boolean {
  return changes.some(({ path }) => settings.includes(path.split(".")[0]!));
}
