import type { Device } from "../../device/device.ts";
import type { TuneHooks } from "../../trainer/tuning.ts";
import type { VariantRun } from "../variant/run.ts";

export interface WindowHooks extends TuneHooks {
  onStep(done: number): void;
}

/**
 * Chooses an arm's kernels by timing them, where it asks for that. Up to the step from which they are used it trains with
 * the adapter's own, and some are timed before each unit of steps; where that is the first step, all are timed at once,
 * and the arm need not have been prepared.
 *
 * @throws {InterruptedError} when it was asked to stop
 */
export async function passWindow(run: VariantRun, device: Device, hooks: WindowHooks): Promise<void> {
  while (run.running) {
    const { steps, tuning, unit } = run;
    await tuning.before(steps, unit, device, hooks);
    if (steps >= tuning.switchStep) return;
    hooks.onStep(steps);
    await run.replay(unit, (done) => hooks.onStep(steps + done));
  }
}
