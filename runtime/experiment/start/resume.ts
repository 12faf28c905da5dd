/**
 * Resumes arms after an interruption. The training state is not kept, so the steps up to the last complete round run again,
 * untimed. The same seed gives the same weights, which the kept losses verify. Tuned kernels are not timed again. A loader
 * without a model only continues at the right batch.
 *
 * @module
 */
import { InputError, TachoError } from "../../core/errors.ts";
import type { Loss } from "../../result/schema.ts";
import type { KeptWarmUp, RunRecorder } from "../../store/run_recorder.ts";
import { keptBlocks } from "../arm_recorder.ts";
import type { Arm } from "../arm.ts";
import type { AdapterInfo } from "../../device/adapter.ts";
import { adapterRecord } from "../environment.ts";
import type { ExperimentOptions } from "../options.ts";

/** State of an arm at the end of its last complete round. */
export interface ResumePoint {
  readonly warmUp: KeptWarmUp;
  /** Number of steps, including warm-up. */
  readonly steps: number;
}

/**
 * Refuses to continue a run on another adapter than it began on.
 *
 * @throws {InputError} if earlier rounds were measured on another adapter than `name`
 */
export function checkAdapter({ adapter, rounds }: RunRecorder, name: string): void {
  if (adapter === null || adapter === name || rounds.length === 0) return;
  throw new InputError(
    `This run was measured on the adapter "${adapter}", but the current adapter is "${name}"; select the former with ` +
      "--adapter, or start a new run",
  );
}

/** Returns the point at which to resume an arm, or null if it had not finished its warm-up. */
export function resumePoint(runRecorder: RunRecorder | null, arm: string): ResumePoint | null {
  const warmUp = runRecorder?.warmUps.find((kept) => kept.arm === arm);
  if (warmUp === undefined) return null;
  const last = keptBlocks(runRecorder, arm).at(-1)?.block.steps.at(-1);
  return { warmUp, steps: last === undefined ? warmUp.steps : last.index + 1 };
}

/** Returns the number of steps that need not run again: without a model, all but the warm-up. */
export function skippedSteps(arm: Arm, point: ResumePoint | null): number {
  return arm.stateful || point === null ? 0 : point.steps - point.warmUp.steps;
}

/** Restores an arm's measurements and tuned kernels of earlier sittings, and its failure if it had failed. */
export function restore(arm: Arm, runRecorder: RunRecorder | null): void {
  for (const kept of keptBlocks(runRecorder, arm.name)) arm.restoreBlock(kept);
  const choice = resumePoint(runRecorder, arm.name)?.warmUp.tuning;
  if (choice !== undefined) arm.tuning?.adopt(choice);
  const failure = runRecorder?.failures.find((kept) => kept.arm === arm.name);
  if (runRecorder === null || failure === undefined) return;
  arm.fail(new TachoError(failure.message, failure.exitStatus));
  arm.skip(runRecorder.losses(arm.name));
}

/** Runs an arm up to its resume point. Calls `afterBlock` at the end of each earlier block. */
export async function resumeArm(
  arm: Arm,
  point: ResumePoint,
  runRecorder: RunRecorder,
  hooks: {
    readonly onStep: (done: number, all: number) => void;
    readonly afterBlock: (round: number) => Promise<void>;
  },
): Promise<void> {
  const { steps, warmUp } = point;
  const skipped = skippedSteps(arm, point);
  arm.skip(new Array<null>(skipped).fill(null));
  const upTo = async (step: number) => {
    const before = arm.steps;
    if (step <= before || !arm.running) return;
    await arm.warmUp(step - before, (done) => hooks.onStep(before + done, steps));
  };
  if (warmUp.steps === 0) await arm.kernels?.compileOnly();
  // The first unit compiles the shaders
  await upTo(Math.min(steps, skipped + arm.unit));
  for (const { block } of keptBlocks(runRecorder, arm.name)) {
    await upTo(block.steps.at(-1)!.index + 1);
    if (arm.running) await hooks.afterBlock(block.round);
  }
  await upTo(steps);
  arm.endWarmUp();
}

/** Returns a warning about the first step whose loss differs from that of an earlier sitting, or null. */
export function differingLoss(arm: Arm, before: readonly (Loss | null)[]): string | null {
  const step = arm.losses.findIndex((loss, i) => before[i] !== undefined && before[i] !== loss);
  if (step < 0) return null;
  return `${arm.name}: after resuming, the loss of step ${step} is ${arm.losses[step]} instead of ${before[step]}: ` +
    "adapter, driver or kernels have changed, so earlier and later rounds are not comparable";
}

/**
 * Records the adapter of a run that is kept.
 *
 * @throws {InputError} if the run was begun on another adapter
 */
export function keepAdapter({ runRecorder }: Pick<ExperimentOptions, "runRecorder">, info: AdapterInfo): void {
  if (runRecorder == null) return;
  checkAdapter(runRecorder, info.name);
  runRecorder.keepAdapter(adapterRecord(info));
}
