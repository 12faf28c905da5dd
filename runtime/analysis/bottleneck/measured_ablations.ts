/**
 * Measurements of a variant's ablations: runs without a part of its step.
 *
 * @module
 */
import type { Bottleneck } from "../../result/bottleneck.ts";

export type AblationName = Bottleneck["arms"][number]["name"];

/** A block of an ablation. Times are in ms per step. */
export interface AblationBlock {
  readonly round: number;
  readonly steps: number;
  readonly batchCost: number;
  readonly readerCost: number;
  /** Time to copy the batch to the device. */
  readonly letData: number;
  /** Device time of the step's phases; null without timestamps. */
  readonly device: number | null;
}

/** Interleaved blocks of the whole step and of each ablation: one of each per round. */
export interface MeasuredAblations {
  /** True if batches are loaded while the device works, as in a sink. */
  readonly overlapped: boolean;
  /** True if workers compete with kernels for cores. */
  readonly contended: boolean;
  readonly whole: readonly AblationBlock[];
  readonly ablations: ReadonlyMap<AblationName, readonly AblationBlock[]>;
}

/** Scales device times to milliseconds if the device's ticks are not nanoseconds. */
export function rescaleAblations(measured: MeasuredAblations, scale: number): MeasuredAblations {
  const times = (blocks: readonly AblationBlock[]) =>
    blocks.map((block) => ({ ...block, device: block.device === null ? null : block.device * scale }));
  const ablations = new Map([...measured.ablations].map(([name, blocks]) => [name, times(blocks)]));
  return scale === 1 ? measured : { ...measured, whole: times(measured.whole), ablations };
}

/** Parts that the ablations remove, for reports. */
export const TAKEN_AWAY: Readonly<Record<AblationName, string>> = {
  "input only": "training: batches are loaded and released",
  "synthetic input": "loader and upload: every step reuses the batch on the device",
  "no host waits": "loader, upload, waits and readbacks: steps are submitted together",
  "null kernels": "kernel work: the same dispatches of empty kernels",
};

export const ABLATION_NAMES = Object.keys(TAKEN_AWAY) as readonly AblationName[];
