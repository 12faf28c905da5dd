import type { AdviceContext } from "./context.ts";
import type { Settings } from "./settings.ts";
import { shortened, type StepParts } from "./step_parts.ts";

/** A software adapter's launch of a dispatch: ms. The rest is for its workgroups, which grow with the batch. */
const SOFTWARE_DISPATCH_MS = 0.03;

/**
 * The part of a step that does not grow with the batch: ms. The host's part of it, and the launches of kernels where
 * they were measured with null kernels.
 */
export function fixedCost({ variant, software, device, parts }: AdviceContext): { host: number; launch: number } {
  const { bottleneck, metrics, ops } = variant;
  const launched = (bottleneck?.device?.launch ?? 0) * (device ?? 0);
  const dispatches = ops.reduce((sum, op) => sum + op.dispatches, 0);
  const launch = software ? Math.min(launched, dispatches * SOFTWARE_DISPATCH_MS) : launched;
  const arm = bottleneck?.arms.find(({ name }) => name === "no host waits");
  const gap = metrics.iterationGap?.value;
  const estimates = [
    ...arm === undefined ? [] : [parts.fed - parts.copy - parts.step / arm.ratio.value],
    ...gap === undefined ? [] : [gap - parts.reader - parts.copy],
  ];
  return { host: estimates.length === 0 ? 0 : Math.max(0, Math.min(parts.step, ...estimates)), launch };
}

/**
 * Times the samples per second with a batch `factor` times as large, of whose time `fixed` ms do not grow with it; and
 * what limits that, in words.
 */
export function gainOfBatch(parts: StepParts, fixed: number, factor: number): { gain: number; limit: string } {
  return shortened(parts, fixed - fixed / factor);
}

/** What has to be said of another batch size where weights are trained. */
export function trainingChanges({ optimizer }: Settings): string {
  return optimizer === null ? "" : " (training changes with it)";
}

/** Returns the factor by which the batch may grow before it has more samples than the data. */
export function mostSamples({ data, settings }: AdviceContext): number {
  return data === null ? Infinity : data.samples / settings.loader.batchSize;
}
