import { hashText, RandomStream } from "../../core/random.ts";
import type { Procedure } from "../../result/schema.ts";
import type { Arm } from "../arm.ts";
import type { RunProgress } from "../run_progress.ts";
import { isDueBefore, type SetupSchedule } from "./setups.ts";

export interface FreshProcessesOptions {
  readonly arms: readonly Arm[];
  readonly seed: number;
  /** Processes of each arm over the whole run (`measure.processes`), at most one before each round. */
  readonly processes: number;
  /** Rounds of the whole run, for which `processes` is given. */
  readonly rounds: number;
  /** Processes of earlier sittings. */
  readonly earlier: number;
  /** Time at which the run began, on the axis of `performance.now`. */
  readonly began: number;
  readonly progress: Pick<RunProgress, "at">;
  attempt(arm: Arm, work: () => Promise<unknown>): Promise<void>;
  /** Returns the warm-up steps of an arm. */
  warmUpSteps(arm: Arm): number;
}

/**
 * Starts all arms in fresh processes between rounds, at the same time: what lasts for a whole process, such as where memory
 * lies and what the compiler chose, then varies like the noise of rounds. A process counts as a set-up.
 */
export class FreshProcesses implements SetupSchedule {
  readonly #options: FreshProcessesOptions;
  #current: number;
  #time = 0;

  constructor(options: FreshProcessesOptions) {
    this.#options = options;
    this.#current = options.earlier;
  }

  get current(): number {
    return this.#current;
  }

  get outcome(): Procedure["setups"] {
    const elapsed = performance.now() - this.#options.began;
    return { count: this.#current + 1, time: this.#time, share: this.#time / elapsed, processes: true };
  }

  async before(round: number): Promise<void> {
    const { arms, seed, processes, rounds, attempt, warmUpSteps, progress } = this.#options;
    const running = arms.filter((arm) => arm.running && arm.process !== undefined);
    if (running.length === 0 || !isDueBefore(round, processes, rounds)) return;
    const begin = performance.now();
    this.#current++;
    const stream = new RandomStream(seed, hashText("processes"), this.#current);
    const order = [...stream.permutation(running.length)].map((index) => running[index]!);
    for (const arm of order) {
      const steps = warmUpSteps(arm);
      progress.at(arm.name, "warmup", 0, steps, { message: `process ${this.#current + 1}` });
      await attempt(arm, () => arm.process!.renew(steps));
    }
    this.#time += performance.now() - begin;
  }
}
