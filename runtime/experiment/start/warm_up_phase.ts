import type { Procedure } from "../../result/schema.ts";
import type { RunRecorder } from "../../store/run_recorder.ts";
import { compileArm } from "./compile_arm.ts";
import type { ArmRecorder } from "../arm_recorder.ts";
import { differingLoss, resumeArm, resumePoint } from "./resume.ts";
import type { RunProgress } from "../run_progress.ts";
import type { Arm } from "../arm.ts";
import { warmUp, type WarmUpSteps } from "./warm_up.ts";

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
