/**
 * What was measured of a variant with parts of its step taken away.
 *
 * @module
 */
import type { Bottleneck } from "../../result/bottleneck.ts";

export type AblationName = Bottleneck["arms"][number]["name"];

/** A block of one ablation. Times in ms a step. */
export interface AblationBlock {
  readonly round: number;
  readonly steps: number;
  readonly batchCost: number;
  readonly readerCost: number;
  /** Copying the batch to the device. */
  readonly letData: number;
  /** Phases of the step on the device; null where the adapter has no timestamps. */
  readonly device: number | null;
}

/** Blocks of the whole step and of the step without a part, in turns: one of each in every round. */
export interface MeasuredAblations {
  /** Whether batches are taken while the device works, as in a sink. */
  readonly overlapped: boolean;
  /** Whether workers that make batches take cores from the kernels. */
  readonly contended: boolean;
  readonly whole: readonly AblationBlock[];
  readonly ablations: ReadonlyMap<AblationName, readonly AblationBlock[]>;
}

/** Scales device times to true milliseconds, where the device's ticks are not nanoseconds. */
export function rescaleAblations(measured: MeasuredAblations, scale: number): MeasuredAblations {
  const times = (blocks: readonly AblationBlock[]) =>
    blocks.map((block) => ({ ...block, device: block.device === null ? null : block.device * scale }));
  const ablations = new Map([...measured.ablations].map(([name, blocks]) => [name, times(blocks)]));
  return scale === 1 ? measured : { ...measured, whole: times(measured.whole), ablations };
}

/** Parts that the ablations take away, for reports. */
export const TAKEN_AWAY: Readonly<Record<AblationName, string>> = {
  "input only": "training: batches are taken and given back",
  "synthetic input": "loader and upload: every step has the batch that is on the device",
  "no host waits": "loader, upload, waits and readbacks: steps are submitted together",
  "null kernels": "work of the kernels: as many dispatches, which do nothing",
};

export const ABLATION_NAMES = Object.keys(TAKEN_AWAY) as readonly AblationName[];
