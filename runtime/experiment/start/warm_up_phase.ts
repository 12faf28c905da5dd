import type { Procedure } from "../../result/schema.ts";
import type { RunRecorder } from "../../store/run_recorder.ts";
import type { ArmRecorder } from "../arm_recorder.ts";
import { differingLoss, resumeArm, resumePoint } from "./resume.ts";
import type { RunProgress } from "../run_progress.ts";
import type { Arm } from "../arm.ts";

/** Hooks of the warm-up. */
export interface WarmUpOptions {
  readonly runRecorder: RunRecorder | null;
  readonly armRecorder: ArmRecorder;
  readonly progress: RunProgress;
  attempt(arm: Arm, work: () => Promise<unknown>): Promise<void>;
  warmUpSteps(arm: Arm): WarmUpSteps;
  afterEpoch(arm: Arm, epoch: number): Promise<void>;
}

/** Warms arms up, or resumes them after their last complete round. */
export class WarmUpPhase {
  /** Warm-up of each arm. */
  readonly warmUp: Procedure["warmUp"] = [];
  readonly warnings: Procedure["warnings"] = [];
  readonly #options: WarmUpOptions;

  constructor(options: WarmUpOptions) {
    this.#options = options;
  }

  async run(arm: Arm): Promise<void> {
    const { runRecorder, armRecorder } = this.#options;
    await compileArm(arm, this.#options);
    if (runRecorder !== null && resumePoint(runRecorder, arm.name) !== null) await this.#resume(arm, runRecorder);
    else await this.#warmUp(arm);
    armRecorder.failure(arm, 0);
  }

  async #resume(arm: Arm, runRecorder: RunRecorder): Promise<void> {
    const { attempt, progress, afterEpoch } = this.#options;
    const point = resumePoint(runRecorder, arm.name)!;
    const before = arm.steps;
    const message = "resuming";
    await attempt(arm, () =>
      resumeArm(arm, point, runRecorder, {
        onStep: (done, all) => progress.at(arm.name, "warmup", done, all, { message }),
        afterBlock: (round) => afterEpoch(arm, round + 1),
      }));
    progress.advance(point.steps - before);
    this.warmUp.push({ arm: arm.name, steps: point.warmUp.steps, steady: point.warmUp.steady });
    const differing = differingLoss(arm, runRecorder.losses(arm.name));
    if (differing !== null) this.warnings.push({ kind: "resumed", message: differing });
  }

  async #warmUp(arm: Arm): Promise<void> {
    const { attempt, armRecorder, progress } = this.#options;
    const steps = this.#options.warmUpSteps(arm);
    const before = arm.steps;
    progress.at(arm.name, "warmup", before, steps.least);
    await attempt(arm, async () => {
      const onStep = (done: number) => progress.at(arm.name, "warmup", done, Math.max(done, steps.least));
      const done = await warmUp(arm, steps, onStep);
      this.warmUp.push({ arm: arm.name, ...done });
      if (arm.running) armRecorder.warmUp(arm, done);
    });
    progress.advance(steps.least - before);
  }
}

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

/** Relative improvement of the best time that counts as a gain. */
const GAIN = 0.05;

/** Number of steps without a gain after which times are steady. */
const PATIENCE = 3;

/**
 * Detects when step times stop falling. Compilation, caches, queues and clock rates slow down the first steps; other
 * programs slow down steps at random. Therefore the best time counts: times are steady after several steps without a gain.
 */
export class Steadiness {
  #best = Infinity;
  #since = 0;

  /** Adds the time of a step in ms, or the mean over a sink of `steps` steps. */
  add(time: number, steps = 1): void {
    this.#since = time < this.#best * (1 - GAIN) ? 0 : this.#since + steps;
    this.#best = Math.min(this.#best, time);
  }

  get steady(): boolean {
    return this.#since >= PATIENCE;
  }
}

/** Compiles the shaders of an arm before its first step, and reports each of them. */
export async function compileArm(
  arm: Arm,
  { attempt, progress }: {
    readonly progress: RunProgress;
    attempt(arm: Arm, work: () => Promise<unknown>): Promise<void>;
  },
): Promise<void> {
  await attempt(
    arm,
    async () => await arm.kernels?.compile((done, all) => progress.at(arm.name, "compile", done, all)),
  );
}
