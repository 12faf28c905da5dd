/**
 * What was measured of a variant with parts of its step taken away.
 *
 * @module
 */
import type { Bottleneck } from "../../result/bottleneck.ts";

export type ArmName = Bottleneck["arms"][number]["name"];

/** A block of one arm. Times in ms a step. */
export interface ArmBlock {
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
export interface MeasuredArms {
  /** Whether batches are taken while the device works, as in a sink. */
  readonly overlapped: boolean;
  /** Whether workers that make batches take cores from the kernels. */
  readonly contended: boolean;
  readonly whole: readonly ArmBlock[];
  readonly arms: ReadonlyMap<ArmName, readonly ArmBlock[]>;
}

/** The arms with device times in true milliseconds, where the device's ticks are not nanoseconds. */
export function rescaleArms(measured: MeasuredArms, scale: number): MeasuredArms {
  const times = (blocks: readonly ArmBlock[]) =>
    blocks.map((block) => ({ ...block, device: block.device === null ? null : block.device * scale }));
  const arms = new Map([...measured.arms].map(([name, blocks]) => [name, times(blocks)]));
  return scale === 1 ? measured : { ...measured, whole: times(measured.whole), arms };
}

/** What each arm takes away, for reports. */
export const TAKEN_AWAY: Readonly<Record<ArmName, string>> = {
  "input only": "training: batches are taken and given back",
  "synthetic input": "loader and upload: every step has the batch that is on the device",
  "no host waits": "loader, upload, waits and readbacks: steps are submitted together",
  "null kernels": "work of the kernels: as many dispatches, which do nothing",
};

export const ARM_NAMES = Object.keys(TAKEN_AWAY) as readonly ArmName[];
