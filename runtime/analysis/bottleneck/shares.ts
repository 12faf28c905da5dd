import type { AblationBlock, AblationName, MeasuredAblations } from "./measured_ablations.ts";

/** Fraction of the step attributed to each part. */
export interface Shares {
  readonly input: number;
  readonly transfer: number;
  readonly host: number;
  readonly device: number;
}

/** Times behind the shares: ms per step. */
export interface AblationTimes {
  readonly whole: number;
  /** Device time of the launches alone, with null kernels; null without timestamps. */
  readonly launch: number | null;
  /** Device time of the step; null without timestamps. */
  readonly device: number | null;
}

/**
 * Returns the shares of a step's parts. They add up to 1 if the parts run in sequence, and to less if they overlap.
 *
 * - input and transfer: the time saved without loader and upload, divided like the loop's time for both.
 * - device: the time saved with null kernels, plus their launches, which remain.
 * - host: the time of the step without input beyond the device's work, at most what the loader alone leaves, as the loader
 *   may run beside the step.
 *
 * Each share is limited by the clocks of the whole step: the loop's time for batches, unless the device works meanwhile or
 * gains cores without it; the device's busy time; and the rest for the host.
 */
export function sharesOf({ whole, ablations, overlapped, contended }: MeasuredAblations): Shares {
  const without = (name: AblationName) => typical(ablations.get(name) ?? []);
  const [all, input, synthetic] = [typical(whole), without("input only"), without("synthetic input")];
  const [free, empty] = [without("no host waits"), without("null kernels")];
  const step = all.batchCost;
  const fed = 1 - synthetic.batchCost / step;
  const loop = all.readerCost + all.letData;
  const copied = loop > 0 ? all.letData / loop : 0;
  const idle = synthetic.batchCost - Math.min(free.batchCost, synthetic.device ?? Infinity);
  // Ratios within a block, so that a slow-down affects both sides
  const part = (of: (block: AblationBlock) => number) => quartile(whole.map((block) => of(block) / block.batchCost), 2);
  const busy = all.device === null ? null : part(({ device }) => device ?? 0);
  const taken = overlapped ? 0 : part(({ readerCost, letData }) => readerCost + letData);
  const gained = Math.min(fed, overlapped || contended ? 1 : taken);
  const shares = {
    input: gained * (1 - copied),
    transfer: gained * copied,
    host: Math.min(idle / step, 1 - input.batchCost / step, 1 - (busy ?? 0) - taken),
    device: Math.min(1 - (empty.batchCost - (empty.device ?? 0)) / step, busy ?? 1),
  };
  const share = (value: number) => Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0;
  return {
    input: share(shares.input),
    transfer: share(shares.transfer),
    host: share(shares.host),
    device: share(shares.device),
  };
}

/** Returns the times behind the shares. */
export function ablationTimes({ whole, ablations }: MeasuredAblations): AblationTimes {
  return {
    whole: typical(whole).batchCost,
    launch: typical(ablations.get("null kernels") ?? []).device,
    device: typical(whole).device,
  };
}

type Times = Pick<AblationBlock, "batchCost" | "readerCost" | "letData" | "device">;

/**
 * Estimates the times of a block on a quiet machine: the lower quartile over rounds, since other programs only make blocks
 * longer, and some more than others.
 */
function typical(blocks: readonly AblationBlock[]): Times {
  const devices = blocks.flatMap(({ device }) => device ?? []);
  return {
    batchCost: quartile(blocks.map(({ batchCost }) => batchCost), 1),
    readerCost: quartile(blocks.map(({ readerCost }) => readerCost), 1),
    letData: quartile(blocks.map(({ letData }) => letData), 1),
    device: devices.length === 0 ? null : quartile(devices, 1),
  };
}

/** Interpolates a quartile, `quarters` of four; NaN without values. */
function quartile(values: readonly number[], quarters: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * quarters / 4;
  const [low, high] = [sorted[Math.floor(at)] ?? NaN, sorted[Math.ceil(at)] ?? NaN];
  return low + (high - low) * (at % 1);
}
