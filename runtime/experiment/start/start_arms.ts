import type { Device } from "../../device/device.ts";
import { DEFAULT_TRAITS } from "../../device/traits.ts";
import type { SlotPool } from "../../engine/slot_pool.ts";
import type { Keeper } from "../../store/keeper.ts";
import type { Keeping } from "../keeping.ts";
import type { RunProgress } from "../run_progress.ts";
import type { VariantRun } from "../variant/run.ts";
import { keptStanding, restore, skippedSteps } from "./resume.ts";
import { passWindow } from "./tuning_window.ts";
import type { WarmUpSteps } from "./warm_up.ts";

/** What it takes to make arms real. */
export interface StartOptions {
  /** The control arm behind the baseline. */
  readonly arms: readonly VariantRun[];
  readonly baseline: VariantRun | undefined;
  readonly controlArm: VariantRun | null;
  /** These are null where no arm has a model. */
  readonly device: Device | null;
  readonly slots: SlotPool | null;
  readonly keeper: Keeper | null;
  readonly keeping: Keeping;
  readonly progress: RunProgress;
  interrupted(): boolean;
  attempt(run: VariantRun, work: () => Promise<unknown>): Promise<void>;
  warmUpSteps(run: VariantRun): WarmUpSteps;
  setUpProfile(run: VariantRun): Promise<void>;
  /** Throws where the plans that were chosen do not fit the memory together. */
  checkMemory(): void;
}

/**
 * Gives the arms what is known of earlier sittings, chooses their kernels and makes them real. Those with a window of
 * steps for tuning go through it first, all with the adapter's own kernels, so that what all plans take together is known
 * before anything is measured or warmed up.
 */
export async function startArms(options: StartOptions): Promise<void> {
  const { arms, device, slots, keeper, attempt } = options;
  for (const run of arms) restore(run, keeper, device?.traits ?? DEFAULT_TRAITS);
  const first = arms.filter(({ tuning }) => tuning.switchStep > 0);
  if (device !== null) {
    await prepare(first, options);
    for (const run of arms) await tune(run, device, options);
    options.checkMemory();
    slots!.free();
  }
  for (const run of arms) run.reserve(slots);
  for (const run of first) await attempt(run, () => run.switchPlan());
  await prepare(arms.filter((run) => !first.includes(run)), options);
}

/** Chooses an arm's kernels, so that all steps behind its window are those of one plan. */
async function tune(run: VariantRun, device: Device, options: StartOptions): Promise<void> {
  const { baseline, controlArm, keeping, progress, interrupted, attempt, warmUpSteps, setUpProfile } = options;
  const choice = baseline?.tuning.choice ?? null;
  if (run === controlArm && choice !== null) run.tuning.adopt(choice, device.traits);
  if (run.tuning.switchStep > 0) await setUpProfile(run);
  const { least } = warmUpSteps(run);
  await attempt(run, () =>
    passWindow(run, device, {
      shouldStop: interrupted,
      onStep: (done) => progress.at(run.name, "warmup", done, least),
      onProgress: (done, all) => progress.at(run.name, "tune", done, all),
    }));
  progress.advance(run.steps);
  keeping.failure(run, 0);
}

async function prepare(runs: readonly VariantRun[], options: StartOptions): Promise<void> {
  const { device, slots, keeper, keeping, progress, attempt } = options;
  for (const run of runs) run.reserve(slots);
  for (const run of runs) {
    progress.at(run.name, "compile");
    const firstBatch = skippedSteps(run, keptStanding(keeper, run.name));
    await attempt(run, () => run.prepare(device, slots, firstBatch));
    keeping.failure(run, 0);
  }
}
