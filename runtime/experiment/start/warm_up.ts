import { Steadiness } from "./steadiness.ts";
import type { Arm } from "../arm.ts";

/** Minimum number of warm-up steps, and maximum while step times still fall; multiples of the steps per submission. */
export interface WarmUpSteps {
  readonly least: number;
  readonly most: number;
}

/**
 * Runs warm-up steps until their times are steady, ignoring steps that the arm has already run. The first step compiles the
 * shaders; without warm-up, that step is run and undone. Warm-up steps train like measured ones, with the same losses.
 */
export async function warmUp(
  arm: Arm,
  { least, most }: WarmUpSteps,
  onStep: (done: number) => void,
): Promise<{ steps: number; steady: boolean }> {
  if (most === 0) {
    await arm.kernels?.compileOnly();
    return { steps: 0, steady: true };
  }
  const steadiness = new Steadiness();
  let steps = arm.steps;
  while (arm.running && (steps < least || (steps < most && !steadiness.steady))) {
    const { wall } = await arm.warmUp(arm.unit);
    steadiness.add(wall / arm.unit, arm.unit);
    steps += arm.unit;
    onStep(steps);
  }
  arm.endWarmUp();
  return { steps, steady: steadiness.steady || arm.settles === false };
}
