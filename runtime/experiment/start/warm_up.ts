import { Steadiness } from "./steadiness.ts";
import type { Arm } from "../arm.ts";

/** Steps that do not count, from the first on, in whole units: the fewest, and the most while times get better still. */
export interface WarmUpSteps {
  readonly least: number;
  readonly most: number;
}

/**
 * Runs an arm's first steps, which do not count, until their times are steady; those that it has run before are not
 * looked at. The very first compiles the shaders; where no step is to be skipped, it is run and undone. The training just
 * goes on: a step's loss is the same whether it counted or not.
 */
export async function warmUp(
  arm: Arm,
  { least, most }: WarmUpSteps,
  onStep: (done: number) => void,
): Promise<{ steps: number; steady: boolean }> {
  if (most === 0) {
    await arm.compileOnly?.();
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
  return { steps, steady: steadiness.steady };
}
