import type { PassTimes } from "./device_samples.ts";
import { type ByPhase, toByPhase } from "./phases.ts";

/** Device times of a step in ms; null if not measured. */
export interface DeviceStep extends ByPhase<number> {
  /** Time from the end of the previous step to the start of this one; null for the first step of a block. */
  readonly iterationGap: number | null;
}

/**
 * Computes the times of a block's steps from their passes.
 *
 * @param phases phase of each pass of a step; passes of a phase add up. An untimed pass makes its phase and the adjacent
 * gaps null
 */
export function traceSteps(passes: readonly (PassTimes | null)[], phases: readonly string[]): DeviceStep[] {
  const steps: DeviceStep[] = [];
  let end: bigint | null = null;
  for (let first = 0; first + phases.length <= passes.length; first += phases.length) {
    const times = new Map<string, number | null>();
    phases.forEach((phase, i) => {
      const [known, own] = [times.get(phase), duration(passes[first + i] ?? null)];
      times.set(phase, known === undefined ? own : known === null || own === null ? null : known + own);
    });
    const begin: bigint | null = passes[first]?.begin ?? null;
    const iterationGap: number | null = begin === null || end === null ? null : milliseconds(begin - end);
    steps.push({ ...toByPhase(times), iterationGap });
    end = passes[first + phases.length - 1]?.end ?? null;
  }
  return steps;
}

/** Returns the device time of each step, from its first pass to its last, in ms. */
export function stepTimes(passes: readonly (PassTimes | null)[], passesPerStep: number): (number | null)[] {
  const steps: (number | null)[] = [];
  for (let first = 0; first + passesPerStep <= passes.length; first += passesPerStep) {
    const [begin, end] = [passes[first]?.begin, passes[first + passesPerStep - 1]?.end];
    steps.push(begin === undefined || end === undefined ? null : milliseconds(end - begin));
  }
  return steps;
}

function duration(pass: PassTimes | null): number | null {
  return pass === null ? null : milliseconds(pass.end - pass.begin);
}

function milliseconds(nanoseconds: bigint): number {
  return Number(nanoseconds) / 1e6;
}
