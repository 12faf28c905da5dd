import type { AblationBlock, AblationName, MeasuredAblations } from "./measured_ablations.ts";

/** What a step would be shorter by without each part, as a part of the step. */
export interface Shares {
  readonly input: number;
  readonly transfer: number;
  readonly host: number;
  readonly device: number;
}

/** What the shares rest on: ms a step. */
export interface AblationTimes {
  readonly whole: number;
  /** Of the launches alone: the device's time with null kernels. Null without timestamps. */
  readonly launch: number | null;
  /** The device's time of the step. Null without timestamps. */
  readonly device: number | null;
}

/**
 * The shares of a step's parts. They add up to 1 where the parts run one after the other, and to less where they overlap
 * and two of them take equally long.
 *
 * - input and transfer: the step without loader and upload is shorter by so much; divided as the loop's time for both.
 * - device: the step with null kernels is shorter by so much; their launches, which stay, are the device's too.
 * - host: what the step without input does beside the device's work, and no more than the loader alone leaves, as it may
 *   run beside the step.
 *
 * None can be more than what the whole step's own clocks saw of it: the loop's time for batches, unless the device works
 * meanwhile or gets cores back with it; the device's busy time; and for the host what those two leave.
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
  // Of the same blocks, so that what slowed a block down is on both sides
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

export function ablationTimes({ whole, ablations }: MeasuredAblations): AblationTimes {
  return {
    whole: typical(whole).batchCost,
    launch: typical(ablations.get("null kernels") ?? []).device,
    device: typical(whole).device,
  };
}

type Times = Pick<AblationBlock, "batchCost" | "readerCost" | "letData" | "device">;

/**
 * Times of an ablation's block on a quiet machine: the lower quartile over rounds, since other programs only ever make a block
 * longer, and make one of a round longer than another.
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

/** The value below which `quarters` of four lie, between the two nearest; NaN of none. */
function quartile(values: readonly number[], quarters: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * quarters / 4;
  const [low, high] = [sorted[Math.floor(at)] ?? NaN, sorted[Math.ceil(at)] ?? NaN];
  return low + (high - low) * (at % 1);
}
