import type { PassTimes } from "./device_samples.ts";
import { type ByPhase, toByPhase } from "./phases.ts";

/** Device times of a step in ms; null if not measured. */
export interface DeviceStep extends ByPhase<number> {
  /** Time from the end of the previous step to the start of this one; null for the first step of a block. */
  readonly iterationGap: number | null;
  /** Absent if one of them was not timed. */
  readonly points?: StepPoints;
}

/** Points of a step on the device's clock: ms since the first step of its block began. */
export interface StepPoints {
  /** Start of the first pass, which is that of the forward propagation. */
  readonly begin: number;
  /** End of the backward propagation; of the forward one where nothing is trained. */
  readonly propagated: number;
  /** End of the last pass. */
  readonly end: number;
}

/**
 * Computes the times of a block's steps from their passes.
 *
 * @param phases phase of each pass of a step; passes of a phase add up. An untimed pass makes its phase and the adjacent
 * gaps null
 */
export function traceSteps(passes: readonly (PassTimes | null)[], phases: readonly string[]): DeviceStep[] {
  const steps: DeviceStep[] = [];
  const origin = passes[0]?.begin ?? null;
  const last = Math.max(phases.lastIndexOf("forward"), phases.lastIndexOf("backward"));
  let end: bigint | null = null;
  for (let first = 0; first + phases.length <= passes.length; first += phases.length) {
    const times = new Map<string, number | null>();
    phases.forEach((phase, i) => {
      const [known, own] = [times.get(phase), duration(passes[first + i] ?? null)];
      times.set(phase, known === undefined ? own : known === null || own === null ? null : known + own);
    });
    const begin: bigint | null = passes[first]?.begin ?? null;
    const iterationGap: number | null = begin === null || end === null ? null : milliseconds(begin - end);
    end = passes[first + phases.length - 1]?.end ?? null;
    const propagated: bigint | null = passes[first + last]?.end ?? null;
    const points = origin === null || begin === null || propagated === null || end === null || last < 0 ? {} : {
      points: {
        begin: milliseconds(begin - origin),
        propagated: milliseconds(propagated - origin),
        end: milliseconds(end - origin),
      },
    };
    steps.push({ ...toByPhase(times), iterationGap, ...points });
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
