import type { AdviceContext } from "./context.ts";
import type { Settings } from "./settings.ts";
import { shortened, type StepParts } from "./step_parts.ts";

/** Launch time of a dispatch on a software adapter in ms; the rest is per workgroup and grows with the batch. */
const SOFTWARE_DISPATCH_MS = 0.03;

/**
 * Returns the parts of a step in ms that do not grow with the batch: host work, and kernel launches if they were measured
 * with null kernels.
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
 * Returns the gain in samples per second from a batch `factor` times as large, if `fixed` ms of a step do not grow with it,
 * and a note on what limits the gain.
 */
export function gainOfBatch(parts: StepParts, fixed: number, factor: number): { gain: number; limit: string } {
  return shortened(parts, fixed - fixed / factor);
}

/** Returns the note that another batch size changes training, if weights are trained. */
export function trainingChanges({ optimizer }: Settings): string {
  return optimizer === null ? "" : " (this changes training)";
}

/** Returns the factor by which the batch can grow before it exceeds the data. */
export function mostSamples({ data, settings }: AdviceContext): number {
  return data === null ? Infinity : data.samples / settings.loader.batchSize;
}
