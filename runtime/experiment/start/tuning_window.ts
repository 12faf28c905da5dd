import type { TuningHooks } from "../../engine/tuning/window.ts";
import type { Arm, ArmTuning } from "../arm.ts";

export interface WindowHooks extends TuningHooks {
  onStep(done: number): void;
}

/**
 * Chooses an arm's kernels by timing. The arm trains with default kernels up to the switch, and some candidates are timed
 * before each unit of steps. If the switch is the first step, all are timed at once, and the arm need not be prepared.
 *
 * @throws {InterruptedError} if the run is interrupted
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
