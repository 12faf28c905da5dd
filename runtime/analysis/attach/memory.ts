import type { Leak, MemoryResult, Step } from "../../result/attach_result.ts";
import type { BufferGroup } from "../../attach/records.ts";
import type { DeviceRecording } from "./recording.ts";

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
  const warmUp = steps.filter((step) => step.warmUp);
  const isIn = (cuts: number, { from, to }: Step) => cuts >= from && cuts < to;
  const keptWarmUp = state.buffers.map(({ size, kept }) => {
    const count = kept.filter((cuts) => warmUp.some((step) => isIn(cuts, step))).length;
    return { count, bytes: count * size };
  });
  const leakOf = (group: BufferGroup): Leak[] => {
    const { label, size, usage, line, created, destroyed, kept } = group;
    const listed =
      kept.filter((cuts) => steady.some((step) => isIn(cuts, step) && (step !== last || destroyed === 0))).length;
    // A long list ends early; what it lacks is younger than what it has
    const unlisted = (kept.at(-1) ?? -1) >= (steady[0]?.from ?? Infinity) ? created - destroyed - kept.length : 0;
    const count = listed + unlisted;
    return count === 0 ? [] : [{ label, size, usage, line, count, bytes: count * size }];
  };
  return {
    now: state.memory,
    peak: state.peak,
    exactPeak: stretches[(steps.slice(0, PEAK_STEPS).at(-1)?.to ?? 0) - 1]?.keptPeak ?? null,
    largest: state.largest.map((buffer) => ({ ...buffer, age: state.peakTime - buffer.created })),
    leaks: state.buffers.flatMap(leakOf).sort((a, b) => b.bytes - a.bytes),
    keptWarmUp: {
      count: keptWarmUp.reduce((sum, { count }) => sum + count, 0),
      bytes: keptWarmUp.reduce((sum, { bytes }) => sum + bytes, 0),
    },
    collected: {
      count: state.buffers.reduce((sum, { collected }) => sum + collected, 0),
      bytes: state.buffers.reduce((sum, { collected, size }) => sum + collected * size, 0),
    },
  };
}
