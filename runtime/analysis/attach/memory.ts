import type { BufferGroup, PeakBuffer } from "../../attach/records.ts";
import type { DeviceRecording } from "./recording.ts";
import type { Step } from "./steps.ts";

/** Buffers of one kind that steps create and nothing destroys. */
export interface Leak {
  readonly label: string;
  readonly size: number;
  readonly usage: number;
  readonly line: string | null;
  readonly count: number;
  readonly bytes: number;
}

/** One of the largest buffers at the peak. */
export interface LargeBuffer extends PeakBuffer {
  /** Time from its creation to the peak, in ms. */
  readonly age: number;
}

/** Memory of a device's buffers and textures, in bytes. */
export interface MemoryResult {
  readonly now: number;
  readonly peak: number;
  /**
   * Peak up to the end of the sixth step, with what is left to the garbage collector, so that it is equal in equal programs;
   * null without steps, and in recordings of earlier versions.
   */
  readonly exactPeak: number | null;
  readonly largest: readonly LargeBuffer[];
  /** Created in steps after the warm-up, and never destroyed. */
  readonly leaks: readonly Leak[];
  /** Never destroyed, and freed by the garbage collector. */
  readonly collected: { readonly count: number; readonly bytes: number };
}

/** Steps of {@linkcode MemoryResult.exactPeak}; every profile of a program has as many. */
export const PEAK_STEPS = 6;

/**
 * Describes the memory of a device. A buffer that a step after the warm-up creates leaks if nothing destroys it. One of the
 * last step does not count if others of its kind are destroyed, since they may be in turn.
 */
export function memoryOf({ state, stretches }: DeviceRecording, steps: readonly Step[]): MemoryResult | null {
  if (state === null) return null;
  const steady = steps.filter(({ warmUp }) => !warmUp);
  const last = steady.at(-1);
  const leakOf = (group: BufferGroup): Leak[] => {
    const { label, size, usage, line, destroyed, kept } = group;
    const count =
      kept.filter((cuts) =>
        steady.some((step) => cuts >= step.from && cuts < step.to && (step !== last || destroyed === 0))
      ).length;
    return count === 0 ? [] : [{ label, size, usage, line, count, bytes: count * size }];
  };
  return {
    now: state.memory,
    peak: state.peak,
    exactPeak: stretches[(steps.slice(0, PEAK_STEPS).at(-1)?.to ?? 0) - 1]?.keptPeak ?? null,
    largest: state.largest.map((buffer) => ({ ...buffer, age: state.peakTime - buffer.created })),
    leaks: state.buffers.flatMap(leakOf).sort((a, b) => b.bytes - a.bytes),
    collected: {
      count: state.buffers.reduce((sum, { collected }) => sum + collected, 0),
      bytes: state.buffers.reduce((sum, { collected, size }) => sum + collected * size, 0),
    },
  };
}
