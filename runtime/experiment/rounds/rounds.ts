import { halfWidth, speedupSoFar } from "../../analysis/comparison/compare.ts";
import { timePerSample } from "../../analysis/comparison/block_pairs.ts";
import { measuredBlocks } from "../../analysis/comparison/measured_blocks.ts";
import { boundSoFar } from "../../analysis/metrics.ts";
import type { Emit, SoFar } from "../../result/run_event.ts";
import type { Block, Procedure } from "../../result/schema.ts";
import type { KeptBlock, RunRecorder } from "../../store/run_recorder.ts";
import type { ArmRecorder } from "../arm_recorder.ts";
import { roundOrder } from "./order.ts";
import type { Schedule } from "../planning.ts";
import type { RunProgress } from "../run_progress.ts";
import type { SetupSchedule } from "./setups.ts";
import { expectedRounds, type Look, plannedRounds, type StoppingRules, stopReason } from "./stopping.ts";
import type { Arm } from "../arm.ts";

/** Arms, rules and hooks of the rounds. */
export interface RoundsOptions {
  /** Arms including the control arm, without those that could not be planned. */
  readonly arms: readonly Arm[];
  readonly baseline: Arm | undefined;
  readonly controlArm: Arm | null;
  readonly schedule: Schedule;
  readonly rules: StoppingRules;
  readonly setups: SetupSchedule;
  readonly seed: number;
  readonly runRecorder: RunRecorder | null;
  readonly armRecorder: ArmRecorder;
  readonly progress: RunProgress;
  readonly emit: Emit;
  attempt(arm: Arm, work: () => Promise<unknown>): Promise<void>;
  /** Returns the number of steps of an arm's block. */
  blockSteps(arm: Arm, round: number): number;
  /** Times the probe kernel between rounds, in ms, or returns null. */
  probe(): Promise<number | null>;
  /** Returns the joules that the system's counters have counted so far; null without counters. */
  energy(): number | null;
  /** Called after each epoch of an arm. */
  afterEpoch(arm: Arm, epoch: number): Promise<void>;
}

/** Outcome of the rounds. */
export type RoundsOutcome = Pick<Procedure, "planned" | "rounds" | "stoppedBy" | "order" | "probe" | "setups">;

/** Runs blocks of all arms in rounds until a stopping rule applies. Skips rounds of earlier sittings. */
export class Rounds {
  readonly #options: RoundsOptions;
  readonly #order: string[][] = [];
  readonly #probe: Procedure["probe"] = [];
  #look: Look | null = null;
  /** Start of the rounds, as if those of earlier sittings had run without a break. */
  #start = 0;

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  async run(): Promise<RoundsOutcome> {
    const kept = this.#options.runRecorder?.rounds ?? [];
    for (const { round, order, probe } of kept) {
      this.#order.push([...order]);
      if (probe !== null) this.#probe.push({ round, time: probe });
    }
    const { rules } = this.#options;
    this.#start = performance.now() - measuredBefore(kept.flatMap(({ blocks }) => blocks));
    let lastRound = 0;
    for (let round = kept.length;; round++) {
      const begun = performance.now();
      const halfWidths = () => {
        this.#look = { rounds: round, halfWidths: this.#halfWidths() };
        return this.#look.halfWidths;
      };
      const stoppedBy = stopReason(rules, { rounds: round, elapsed: begun - this.#start, lastRound, halfWidths });
      if (stoppedBy !== null) return this.#outcome(round, stoppedBy);
      if (!this.#options.arms.some((arm) => arm.running)) return this.#outcome(round, this.#ended());
      if (round > kept.length) await this.#options.setups.before(round, lastRound);
      if (!await this.#round(round)) return this.#outcome(round, this.#ended());
      lastRound = performance.now() - begun;
    }
  }

  /** Runs a round. Returns false if it was interrupted or no arm completed its block. */
  async #round(round: number): Promise<boolean> {
    const { arms, seed, schedule, armRecorder, progress, attempt, blockSteps, afterEpoch } = this.#options;
    const setup = this.#options.setups.current;
    const order = roundOrder(arms.length, seed, round).map((index) => arms[index]!).filter((arm) => arm.running);
    const blocks: KeptBlock[] = [];
    const message = `${schedule.epochs ? "epoch" : "round"} ${round + 1}/${plannedRounds(this.#options.rules)}`;
    for (const [position, arm] of order.entries()) {
      const steps = blockSteps(arm, round);
      const soFar = this.#soFar(arm);
      progress.expect(this.#stepsLeft(round, order, position));
      const onStep = (done: number) => progress.at(arm.name, "measure", done, steps, { message, soFar });
      onStep(0);
      await attempt(arm, async () => {
        const energy = this.#options.energy();
        const made = await arm.block({ round, setup, position }, steps, { drain: !schedule.epochs, onStep });
        if (made === null) return;
        if (energy !== null) made.block.energy = this.#options.energy()! - energy;
        blocks.push({ arm: arm.name, ...made });
      });
      progress.advance(steps);
      if (schedule.epochs) await afterEpoch(arm, round + 1);
      armRecorder.failure(arm, round);
    }
    if (arms.some((arm) => arm.interrupted) || blocks.length === 0) return false;
    const names = order.map(({ name }) => name);
    const time = await this.#options.probe();
    this.#order.push(names);
    if (time !== null) this.#probe.push({ round, time });
    armRecorder.round({ round, order: names, blocks, probe: time }, arms);
    this.#emitRound(round, blocks);
    return true;
  }

  #emitRound(round: number, blocks: readonly KeptBlock[]): void {
    const { arms, baseline, rules, emit } = this.#options;
    emit({
      type: "round",
      round,
      planned: plannedRounds(rules),
      blocks: blocks.map(({ arm, block: { samples, wall } }) => ({ arm, samples, wall })),
      intervals: arms.flatMap((arm) => {
        const speedup = arm === baseline ? null : speedupSoFar(this.#measured(arm), this.#measured(baseline));
        return speedup === null ? [] : [{ arm: arm.name, speedup }];
      }),
    });
  }

  #ended(): "interrupted" | "failed" {
    return this.#options.arms.some((arm) => arm.interrupted) ? "interrupted" : "failed";
  }

  #outcome(rounds: number, stoppedBy: Procedure["stoppedBy"]): RoundsOutcome {
    const planned = plannedRounds(this.#options.rules);
    const { outcome: setups } = this.#options.setups;
    return { planned, rounds, stoppedBy, order: this.#order, probe: this.#probe, setups };
  }

  /** Returns the expected number of steps from a block on: in the rest of its round, and in further rounds. */
  #stepsLeft(round: number, order: readonly Arm[], position: number): number {
    const { blockSteps, rules } = this.#options;
    const steps = order.map((arm) => arm.running ? blockSteps(arm, round) : 0);
    const sum = (some: readonly number[]) => some.reduce((all, one) => all + one, 0);
    const share = position === 0 ? 0 : sum(steps.slice(0, position)) / Math.max(1, sum(steps));
    const roundTime = round + share === 0 ? null : (performance.now() - this.#start) / (round + share);
    const rounds = expectedRounds(rules, { rounds: round, roundTime, look: this.#look });
    const further = order.reduce((all, arm) => all + (arm.running ? blockSteps(arm, round + 1) : 0), 0);
    return sum(steps.slice(position)) + Math.max(0, rounds - round - 1) * further;
  }

  /** Returns the half widths of the intervals that further rounds can narrow. */
  #halfWidths(): (number | null)[] {
    const { arms, baseline, controlArm } = this.#options;
    if (baseline === undefined || !baseline.running) return [];
    const compared = arms.filter((arm) => arm.running && arm !== baseline && arm !== controlArm);
    const together = [...compared, ...controlArm === null ? [] : [controlArm]].map((arm) => this.#measured(arm));
    const reference = this.#measured(baseline);
    return compared.map((arm) => halfWidth(this.#measured(arm), reference, compared.length, together));
  }

  /** Returns the blocks of an arm with the times that are compared. */
  #measured(arm: Arm | undefined): readonly Block[] {
    return measuredBlocks(arm?.blocks ?? [], this.#options.rules.statistic ?? "mean");
  }

  #soFar(arm: Arm): SoFar | null {
    const { baseline } = this.#options;
    const time = meanTime(arm);
    if (time === null) return null;
    const reference = baseline === undefined || baseline === arm ? null : meanTime(baseline);
    return {
      ips: 1000 / time,
      unit: arm.unitOfRate,
      ratio: reference === null ? null : reference / time,
      bound: boundSoFar(arm.blocks),
    };
  }
}

/** Returns the mean time per sample over the blocks so far, in ms. */
function meanTime({ blocks }: Arm): number | null {
  const times = blocks.map(timePerSample).filter((time) => time !== null);
  return times.length === 0 ? null : times.reduce((sum, time) => sum + time, 0) / times.length;
}

function measuredBefore(blocks: readonly KeptBlock[]): number {
  return blocks.reduce((sum, { block }) => sum + block.wall, 0);
}
