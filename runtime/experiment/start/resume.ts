/**
 * Takes an arm up again after an interruption. What is trained is not kept, so the steps up to the last whole round are
 * run again, untimed: the same seed gives the same weights, and losses that are kept show whether it did. Kernels that
 * were chosen by timing them are not timed again. A loader without a model only has to go on at the right batch.
 *
 * @module
 */
import { InputError, TachoError } from "../../core/errors.ts";
import type { Loss } from "../../result/schema.ts";
import type { KeptWarmUp, RunRecorder } from "../../store/run_recorder.ts";
import { keptBlocks } from "../arm_recorder.ts";
import type { Arm } from "../arm.ts";

/** Where an arm stood at the end of the last whole round. */
export interface KeptStanding {
  readonly warmUp: KeptWarmUp;
  /** Steps so far, those that did not count included. */
  readonly steps: number;
}

/**
 * Refuses to continue a run on another adapter than it began on.
 *
 * @throws {InputError} if the whole rounds so far were measured on another adapter than `name`
 */
export function checkAdapter({ adapter, rounds }: RunRecorder, name: string): void {
  if (adapter === null || adapter === name || rounds.length === 0) return;
  throw new InputError(
    `This run was measured on the adapter "${adapter}" so far, and this one is "${name}"; choose that one with --adapter, ` +
      "or start a new run",
  );
}

/** Null where the arm had not even warmed up. */
export function keptStanding(runRecorder: RunRecorder | null, arm: string): KeptStanding | null {
  const warmUp = runRecorder?.warmUps.find((kept) => kept.arm === arm);
  if (warmUp === undefined) return null;
  const last = keptBlocks(runRecorder, arm).at(-1)?.block.steps.at(-1);
  return { warmUp, steps: last === undefined ? warmUp.steps : last.index + 1 };
}

/** Steps that need not be run again: without a model, all but as many as warm it up. */
export function skippedSteps(arm: Arm, standing: KeptStanding | null): number {
  return arm.stateful || standing === null ? 0 : standing.steps - standing.warmUp.steps;
}

/**
 * Gives an arm what was measured of it in earlier sittings, and the kernels that it was measured with. If it failed then it
 * has failed in this one, too.
 */
export function restore(arm: Arm, runRecorder: RunRecorder | null): void {
  for (const kept of keptBlocks(runRecorder, arm.name)) arm.restoreBlock(kept);
  const choice = keptStanding(runRecorder, arm.name)?.warmUp.tuning;
  if (choice !== undefined) arm.tuning?.adopt(choice);
  const failure = runRecorder?.failures.find((kept) => kept.arm === arm.name);
  if (runRecorder === null || failure === undefined) return;
  arm.fail(new TachoError(failure.message, failure.exitStatus));
  arm.skip(runRecorder.losses(arm.name));
}

/**
 * Brings an arm to where it stood.
 *
 * @param afterBlock called where the training has come to the end of a block
 */
export async function takeUp(
  arm: Arm,
  standing: KeptStanding,
  runRecorder: RunRecorder,
  hooks: {
    readonly onStep: (done: number, all: number) => void;
    readonly afterBlock: (round: number) => Promise<void>;
  },
): Promise<void> {
  const { steps, warmUp } = standing;
  const skipped = skippedSteps(arm, standing);
  arm.skip(new Array<null>(skipped).fill(null));
  const upTo = async (step: number) => {
    const before = arm.steps;
    if (step <= before || !arm.running) return;
    await arm.warmUp(step - before, (done) => hooks.onStep(before + done, steps));
  };
  if (warmUp.steps === 0) await arm.compileOnly?.();
  // The first unit by itself, which compiles the shaders
  await upTo(Math.min(steps, skipped + arm.unit));
  for (const { block } of keptBlocks(runRecorder, arm.name)) {
    await upTo(block.steps.at(-1)!.index + 1);
    if (arm.running) await hooks.afterBlock(block.round);
  }
  await upTo(steps);
  arm.endWarmUp();
}

/** The first step whose loss is not what it was in an earlier sitting, as a warning; null where all are the same. */
export function differingLoss(arm: Arm, before: readonly (Loss | null)[]): string | null {
  const step = arm.losses.findIndex((loss, i) => before[i] !== undefined && before[i] !== loss);
  if (step < 0) return null;
  return `${arm.name}: taken up again, step ${step} has the loss ${arm.losses[step]} where it had ${before[step]}: ` +
    "adapter, driver or kernels are not what they were, and the rounds before do not belong to those after";
}
