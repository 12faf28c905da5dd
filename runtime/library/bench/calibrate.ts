import type { Attempts } from "../../experiment/attempts.ts";
import type { FunctionArm } from "./function_arm.ts";

/** Shortest step and block of the fastest function, in ms: long compared with the clock and with a scheduling delay. */
const SHORTEST = { step: 1, block: 100 } as const;

/** Longest step and block of the slowest function, in ms, which wins over the former. */
const LONGEST = { step: 200, block: 2000 } as const;

/** Most calls in one step. */
const MAX_CALLS = 1_000_000;

/** Calls per step, and steps per block. */
export interface Sizes {
  readonly calls: number;
  readonly steps: number;
}

/**
 * Chooses the sizes of steps and blocks by the times of calls, the same for all functions.
 *
 * @param given sizes that are not to be chosen
 */
export async function calibrate(
  arms: readonly FunctionArm[],
  { attempt }: Pick<Attempts, "attempt">,
  given: { readonly calls: number | undefined; readonly steps: number | undefined },
): Promise<Sizes> {
  const times: number[] = [];
  for (const arm of given.calls !== undefined && given.steps !== undefined ? [] : arms) {
    await attempt(arm, async () => void times.push(await callTime(arm)));
  }
  return sizesFor(times, given);
}

/** Returns sizes for functions whose calls take these times, in ms. */
export function sizesFor(
  times: readonly number[],
  given: { readonly calls: number | undefined; readonly steps: number | undefined },
): Sizes {
  const [fast, slow] = times.length === 0 ? [1, 1] : [Math.min(...times), Math.max(...times)];
  const calls = given.calls ??
    Math.min(MAX_CALLS, within(Math.ceil(SHORTEST.step / fast), Math.floor(LONGEST.step / slow)));
  const steps = given.steps ??
    within(Math.ceil(SHORTEST.block / (calls * fast)), Math.floor(LONGEST.block / (calls * slow)));
  return { calls, steps };
}

function within(wanted: number, most: number): number {
  return Math.max(1, Math.min(wanted, most));
}

/** Returns the time of a call in ms, after a first one that may compile. */
async function callTime(arm: FunctionArm): Promise<number> {
  await arm.time(1);
  for (let calls = 1;; calls *= 2) {
    const time = await arm.time(calls);
    if (time >= SHORTEST.step || calls >= MAX_CALLS) return Math.max(time, 1e-6) / calls;
  }
}
