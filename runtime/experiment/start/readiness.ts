import type { Procedure } from "../../result/schema.ts";
import type { Keeper } from "../../store/keeper.ts";
import type { Keeping } from "../keeping.ts";
import { differingLoss, keptStanding, takeUp } from "./resume.ts";
import type { RunProgress } from "../run_progress.ts";
import type { VariantRun } from "../variant/run.ts";
import { warmUp, type WarmUpSteps } from "./warm_up.ts";

/** What it takes to get arms ready for their first blocks. */
export interface ReadinessOptions {
  readonly keeper: Keeper | null;
  readonly keeping: Keeping;
  readonly progress: RunProgress;
  attempt(run: VariantRun, work: () => Promise<unknown>): Promise<void>;
  warmUpSteps(run: VariantRun): WarmUpSteps;
  afterEpoch(run: VariantRun, epoch: number): Promise<void>;
}

/** Warms arms up, or brings them to where they stood when they were interrupted. */
export class Readiness {
  /** How each arm got ready. */
  readonly warmUp: Procedure["warmUp"] = [];
  readonly warnings: Procedure["warnings"] = [];
  readonly #options: ReadinessOptions;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  async get(run: VariantRun): Promise<void> {
    const { keeper, keeping } = this.#options;
    if (keeper !== null && keptStanding(keeper, run.name) !== null) await this.#takeUp(run, keeper);
    else await this.#warmUp(run);
    keeping.failure(run, 0);
  }

  async #takeUp(run: VariantRun, keeper: Keeper): Promise<void> {
    const { attempt, progress, afterEpoch } = this.#options;
    const standing = keptStanding(keeper, run.name)!;
    const before = run.steps;
    const message = "taking up again";
    await attempt(run, () =>
      takeUp(run, standing, keeper, {
        onStep: (done, all) => progress.at(run.name, "warmup", done, all, { message }),
        afterBlock: (round) => afterEpoch(run, round + 1),
      }));
    progress.advance(standing.steps - before);
    this.warmUp.push({ arm: run.name, steps: standing.warmUp.steps, steady: standing.warmUp.steady });
    const differing = differingLoss(run, keeper.losses(run.name));
    if (differing !== null) this.warnings.push({ kind: "resumed", message: differing });
  }

  async #warmUp(run: VariantRun): Promise<void> {
    const { attempt, keeping, progress } = this.#options;
    const steps = this.#options.warmUpSteps(run);
    const before = run.steps;
    progress.at(run.name, "warmup", before, steps.least);
    await attempt(run, async () => {
      const onStep = (done: number) => progress.at(run.name, "warmup", done, Math.max(done, steps.least));
      const done = await warmUp(run, steps, onStep);
      this.warmUp.push({ arm: run.name, ...done });
      if (run.running) keeping.warmUp(run, done);
    });
    progress.advance(steps.least - before);
  }
}
