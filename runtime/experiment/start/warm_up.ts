import { Steadiness } from "./steadiness.ts";
import type { VariantRun } from "../variant/run.ts";

/** Steps that do not count, from the first on, in whole units: the fewest, and the most while times get better still. */
export interface WarmUpSteps {
  readonly least: number;
  readonly most: number;
}

/**
 * Runs a variant's first steps, which do not count, until their times are steady; those that it has run before are not
 * looked at. The very first compiles the shaders; where no step is to be skipped, it is run and undone. The training just
 * goes on: a step's loss is the same whether it counted or not.
 */
export async function warmUp(
  run: VariantRun,
  { least, most }: WarmUpSteps,
  onStep: (done: number) => void,
): Promise<{ steps: number; steady: boolean }> {
  if (most === 0) {
    await run.compileOnly();
    return { steps: 0, steady: true };
  }
  const steadiness = new Steadiness();
  let steps = run.steps;
  while (run.running && (steps < least || (steps < most && !steadiness.steady))) {
    const { wall } = await run.replay(run.unit);
    steadiness.add(wall / run.unit, run.unit);
    steps += run.unit;
    onStep(steps);
  }
  run.forgetTimes();
  return { steps, steady: steadiness.steady };
}
