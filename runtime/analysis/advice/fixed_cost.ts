import type { OpRecord } from "../../result/ops.ts";
import type { AdviceContext } from "./context.ts";
import { opTime } from "./op_times.ts";
import type { Settings } from "./settings.ts";

/** Parts of a step in ms that do not grow with the batch. */
export interface FixedCost {
  readonly host: number;
  /** Kernel launches. */
  readonly launch: number;
  /** Update of the parameters, without its launches. */
  readonly update: number;
}

/** Returns the parts of a step that do not grow with the batch. */
export function fixedCost({ variant, device, parts }: AdviceContext): FixedCost {
  const { bottleneck, metrics, ops } = variant;
  const launch = (bottleneck?.device?.launch ?? 0) * (device ?? 0);
  const updates = ops.filter(({ phase }) => phase === "update");
  const launched = updates.length === 0 ? 0 : launch * dispatchesOf(updates) / dispatchesOf(ops);
  const update = Math.max(0, (metrics.update?.value ?? 0) - launched);
  // While the device is idle, the host reads, copies, or does what each step takes; without waits it still does the latter
  const arm = bottleneck?.arms.find(({ name }) => name === "no host waits");
  const gap = metrics.iterationGap?.value ?? null;
  const waits = arm === undefined ? 0 : parts.fed - parts.copy - parts.step / arm.ratio.value;
  const between = gap === null ? waits : gap - parts.reader - parts.copy;
  const host = Math.max(0, Math.min(parts.step, between));
  return { host, launch, update };
}

/** Returns the launch of a dispatch in ms, on the clock of the op times; 0 if it was not measured. */
export function launchTime({ variant: { bottleneck, ops } }: Pick<AdviceContext, "variant">): number {
  return (bottleneck?.device?.launch ?? 0) * opTime(ops) / Math.max(1, dispatchesOf(ops));
}

function dispatchesOf(ops: readonly OpRecord[]): number {
  return ops.reduce((sum, { dispatches }) => sum + dispatches, 0);
}

/** Returns the note that another batch size changes training, if weights are trained. */
export function trainingChanges({ optimizer }: Settings): string {
  return optimizer === null ? "" : " (this changes training)";
}

/** Returns the factor by which the batch can grow before it exceeds the data. */
export function mostSamples({ data, settings }: AdviceContext): number {
  return data === null ? Infinity : data.samples / settings.loader.batchSize;
}
