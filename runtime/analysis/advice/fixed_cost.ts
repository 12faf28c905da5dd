import type { OpRecord } from "../../result/ops.ts";
import type { AdviceContext } from "./context.ts";
import { opTime } from "./op_times.ts";
import type { Settings } from "./settings.ts";
import { shortened, type StepParts } from "./step_parts.ts";

/**
 * Time of the smallest kernels of a software adapter / that of as many null kernels, at most. From the op times of one small
 * network (bench/RESULTS.md, Predictions of advice); it is not fitted to other networks.
 */
const LATENCY = 3;

/** Parts of a step in ms that do not grow with the batch. */
export interface FixedCost {
  readonly host: number;
  /** Kernel launches. */
  readonly launch: number;
  /** Update of the parameters, without its launches. */
  readonly update: number;
  readonly sum: number;
}

/** Returns the parts of a step that do not grow with the batch. */
export function fixedCost({ variant, software, device, parts }: AdviceContext): FixedCost {
  const { bottleneck, metrics, ops } = variant;
  const launches = bottleneck?.device?.launch ?? 0;
  const launch = (software ? Math.min(LATENCY * launches, smallestKernels(ops)) : launches) * (device ?? 0);
  const updates = ops.filter(({ phase }) => phase === "update");
  const launched = updates.length === 0 ? 0 : launch * dispatchesOf(updates) / dispatchesOf(ops);
  const update = Math.max(0, (metrics.update?.value ?? 0) - launched);
  // While the device is idle, the host reads, copies, or does what each step takes; without waits it still does the latter
  const arm = bottleneck?.arms.find(({ name }) => name === "no host waits");
  const gap = metrics.iterationGap?.value ?? null;
  const waits = arm === undefined ? 0 : parts.fed - parts.copy - parts.step / arm.ratio.value;
  const between = gap === null ? waits : gap - parts.reader - parts.copy;
  const host = Math.max(0, Math.min(parts.step, between));
  return { host, launch, update, sum: Math.min(parts.step, host + launch + update) };
}

/**
 * Returns the fraction of the time of all ops that is left if each dispatch takes as long as the smallest. On a software
 * adapter the rest grows with the batch, even where it does nothing: each workgroup costs time.
 */
function smallestKernels(ops: readonly OpRecord[]): number {
  const timed = ops.filter(({ median, dispatches }) => median !== null && median > 0 && dispatches > 0);
  if (timed.length === 0) return 0;
  const smallest = Math.min(...timed.map(({ median, dispatches }) => median! / dispatches));
  return Math.min(1, smallest * dispatchesOf(timed) / opTime(timed));
}

function dispatchesOf(ops: readonly OpRecord[]): number {
  return ops.reduce((sum, { dispatches }) => sum + dispatches, 0);
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
