import type { RunRecorder } from "../../store/run_recorder.ts";
import { compileArm, type WarmUpSteps } from "./warm_up_phase.ts";
import type { Arm, ArmTuning } from "../arm.ts";
import type { ArmRecorder } from "../arm_recorder.ts";
import type { RunProgress } from "../run_progress.ts";
import { restore, resumePoint, skippedSteps } from "./resume.ts";
import type { TuningHooks } from "../../engine/tuning/window.ts";

export interface StartOptions {
  /** Arms to start, with the control arm after the baseline. */
  readonly arms: readonly Arm[];
  readonly baseline: Arm | undefined;
  readonly controlArm: Arm | null;
  readonly runRecorder: RunRecorder | null;
  readonly armRecorder: ArmRecorder;
  readonly progress: RunProgress;
  interrupted(): boolean;
  attempt(arm: Arm, work: () => Promise<unknown>): Promise<void>;
  warmUpSteps(arm: Arm): WarmUpSteps;
  setUpProfile(arm: Arm): Promise<void>;
  /**
   * Called after every arm's kernels are chosen. Frees the memory that arms share, which they reserve again.
   *
   * @throws {InputError} if the chosen plans do not fit in memory together
   */
  kernelsChosen(): void;
}

/**
 * Restores earlier sittings, chooses kernels and prepares the arms. Arms with a tuning window run it first, with default
 * kernels, so that the memory of all plans is known before any warm-up or measurement.
 */
export async function startArms(options: StartOptions): Promise<void> {
  const { arms, runRecorder, attempt, kernelsChosen } = options;
  for (const arm of arms) restore(arm, runRecorder);
  const first = arms.filter(({ tuning }) => (tuning?.switchStep ?? 0) > 0);
  await prepare(first, options);
  for (const arm of arms) if (arm.tuning) await tune(arm, arm.tuning, options);
  kernelsChosen();
  for (const arm of arms) arm.kernels?.reserve();
  for (const arm of first) await attempt(arm, () => arm.tuning!.switchPlan());
  await prepare(arms.filter((arm) => !first.includes(arm)), options);
}

/** Chooses an arm's kernels, so that all steps after its tuning window use one plan. */
async function tune(arm: Arm, tuning: ArmTuning, options: StartOptions): Promise<void> {
  const { baseline, controlArm, armRecorder, progress, interrupted, attempt, warmUpSteps, setUpProfile } = options;
  const choice = baseline?.tuning?.choice ?? null;
  if (arm === controlArm && choice !== null) tuning.adopt(choice);
  if (tuning.switchStep > 0) {
    await setUpProfile(arm);
    await compileArm(arm, options);
  }
  const { least } = warmUpSteps(arm);
  await attempt(arm, () =>
    passWindow(arm, tuning, {
      shouldStop: interrupted,
      onStep: (done) => progress.at(arm.name, "warmup", done, least),
      onProgress: (done, all) => progress.at(arm.name, "tune", done, all),
    }));
  progress.advance(arm.steps);
  armRecorder.failure(arm, 0);
}

async function prepare(
  arms: readonly Arm[],
  { runRecorder, armRecorder, progress, attempt }: StartOptions,
): Promise<void> {
  for (const arm of arms) arm.kernels?.reserve();
  for (const arm of arms) {
    progress.at(arm.name, "compile");
    const firstStep = skippedSteps(arm, resumePoint(runRecorder, arm.name));
    await attempt(arm, () =>
      arm.prepare(
        firstStep,
        (done, all) => progress.at(arm.name, "compile", done, all),
        (done, all) => progress.at(arm.name, "data", done, all, { message: "filling the cache" }),
      ));
    armRecorder.failure(arm, 0);
  }
}

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
