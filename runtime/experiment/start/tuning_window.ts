import type { TuningHooks } from "../../engine/tuning/window.ts";
import type { Arm, ArmTuning } from "../arm.ts";

export interface WindowHooks extends TuningHooks {
  onStep(done: number): void;
}

/**
 * Chooses an arm's kernels by timing them, where it asks for that. Up to the step from which they are used it trains with
 * the adapter's own, and some are timed before each unit of steps; where that is the first step, all are timed at once,
 * and the arm need not have been prepared.
 *
 * @throws {InterruptedError} when it was asked to stop
 */
export async function passWindow(arm: Arm, tuning: ArmTuning, hooks: WindowHooks): Promise<void> {
  while (arm.running) {
    const { steps, unit } = arm;
    await tuning.before(steps, unit, hooks);
    if (steps >= tuning.switchStep) return;
    hooks.onStep(steps);
    await arm.warmUp(unit, (done) => hooks.onStep(steps + done));
  }
}
