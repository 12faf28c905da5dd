import type { LossTolerance } from "../analysis/comparison/losses.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { InterruptedError } from "../core/errors.ts";
import { type DataSpec, prepareDataset } from "../data/sources/sources.ts";
import type { AdapterInfo } from "../device/adapter.ts";
import type { Device } from "../device/device.ts";
import type { OpRecord } from "../result/ops.ts";
import type { Emit } from "../result/run_event.ts";
import type { Procedure, Result } from "../result/schema.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import { Attempts } from "./attempts.ts";
import { ablatedArms, measureArms, type MeasureOptions, profiledArms } from "./measure_arms.ts";
import { measurePeaks, needsPeaks, peaksAbove } from "./measure_peaks.ts";
import { leastOpRounds } from "./op_rounds.ts";
import type { ExperimentOptions } from "./options.ts";
import { planArms, type PlannedArms } from "./plan_arms.ts";
import { checkTogether, type Planned } from "./planning.ts";
import { adapterWarnings, programAdapter } from "./programs/program_arms.ts";
import { composeResult } from "./result.ts";
import { leastRounds } from "./rounds/stopping.ts";
import { type ExpectedWork, RunProgress } from "./run_progress.ts";
import { repeatTrainings } from "./seeds/repeat_trainings.ts";
import { keepAdapter } from "./start/resume.ts";
import { machineState, preflightWarnings } from "./start/preflight.ts";
import { blockSteps, warmUpSteps } from "./start/step_counts.ts";
import { trainToTarget } from "./target/train_to_target.ts";
import { type TeamFacts, teamWarnings } from "./distributed/team.ts";
import { toleranceOf } from "./tolerance.ts";
import { follow } from "./distributed/rank_leader.ts";

/** Measures the arms of a scenario, trains them to a target, and composes the result. */
export class Experiment {
  readonly #scenario: ResolvedScenario;
  readonly #options: ExperimentOptions;
  readonly #device: Device | null;
  readonly #team: TeamFacts | null;
  readonly #planned: PlannedArms;
  /** Warnings about processes of a variant whose losses differ. */
  readonly #differences: Procedure["warnings"] = [];
  readonly #attempts: Attempts;
  readonly #progress: RunProgress;
  readonly #emit: Emit;

  /**
   * @param team facts about the ranks; null on one
   * @throws {InputError} if no variant can run, or the variants do not fit in memory together
   */
  constructor(
    scenario: ResolvedScenario,
    options: ExperimentOptions,
    device: Device | null,
    team: TeamFacts | null,
  ) {
    this.#scenario = scenario;
    this.#options = options;
    this.#device = device;
    this.#team = team;
    this.#emit = options.onEvent ?? (() => {});
    this.#planned = planArms(scenario, options, {
      ...{ device, team },
      onDifference: (message) => this.#differences.push({ kind: "processes", message }),
      onAdapter: (info) => this.#keepAdapter(info),
      onWarning: (message) => this.#emit({ type: "warning", kind: null, message }),
    });
    this.#attempts = new Attempts(this.#planned.arms, device, options.interrupted, this.#emit);
    this.#progress = new RunProgress(this.#emit, expectedWork(scenario, this.#planned, this.#measured()));
  }

  get planned(): readonly Planned[] {
    return this.#planned.variants;
  }

  /** Runs the steps of distributed variants on the commands of rank 0. */
  async follow(cluster: Cluster): Promise<void> {
    try {
      await follow(cluster, this.#planned.runs, this.#planned.variants.map(({ variant: { config } }) => config.data));
    } finally {
      for (const arm of this.#planned.arms) await arm.close();
      this.#planned.slots?.free();
    }
  }

  async run(): Promise<Result> {
    const { interrupted } = this.#options;
    const { name, seed, baseline } = this.#scenario;
    const { variants, runs, programs, arms, controlArm, slots } = this.#planned;
    const terms = [...this.#scenario.variants, ...this.#scenario.programs.map(({ name }) => ({ name, settings: {} }))];
    this.#emit({ type: "start", scenario: name, seed, baseline, variants: terms.map(({ name }) => name) });
    variants.forEach(({ error }, i) => error !== null && this.#attempts.fail(runs[i]!, error));
    try {
      const preflight = [
        ...preflightWarnings(await machineState(this.#device?.info ?? null)),
        ...this.#team === null ? [] : teamWarnings(this.#team),
      ];
      for (const warning of preflight) this.#emit({ type: "warning", ...warning });
      if (needsPeaks(this.#device, this.#options)) this.#progress.expectPeaks();
      const specs = variants.map(({ variant }) => variant.config.data);
      const made = await prepareData(specs, this.#progress, interrupted);
      if (!made) this.#attempts.interruptAll();
      const measured = await measureArms({
        ...this.#measured(),
        baseline: this.#scenario.baseline,
        schedule: this.#planned.schedule,
        rules: this.#planned.rules,
        seed: this.#scenario.seed,
        device: this.#device,
        slots,
        setups: this.#scenario.measure.setups,
        opRounds: this.#scenario.measure.opRounds,
        processes: this.#scenario.measure.processes,
        attempts: this.#attempts,
        progress: this.#progress,
        emit: this.#emit,
        runRecorder: this.#options.runRecorder ?? null,
        interrupted,
        kernelsChosen: () => this.#kernelsChosen(),
      });
      const measureAll = (ops?: readonly OpRecord[]) =>
        measurePeaks(this.#device, runs, this.#options, this.#progress, ops);
      const peaks = await measureAll();
      await this.#trainAgain();
      const result = await composeResult({
        ...measured,
        scenario: { ...this.#scenario, variants: terms, tolerance: (name) => this.#tolerance(name) },
        options: this.#options,
        adapter: this.#device?.info ?? programAdapter(programs),
        arms: arms.filter((arm) => arm !== controlArm),
        controlArm,
        warnings: [
          ...preflight,
          ...measured.warnings,
          ...this.#differences,
          ...adapterWarnings(this.#device?.info ?? null, programs),
        ],
        peaks: (ops) => peaksAbove(ops, peaks, () => measureAll(ops)),
      });
      const later = result.procedure!.warnings.slice(preflight.length);
      for (const warning of later) this.#emit({ type: "warning", ...warning });
      this.#emit({ type: "result", result });
      return result;
    } finally {
      for (const arm of arms) await arm.close();
      slots?.free();
    }
  }

  /** Selects the arms that are measured, profiled and ablated. */
  #measured() {
    const { arms, controlArm } = this.#planned;
    return {
      ...{ arms, controlArm },
      unprofiled: this.#options.unprofiled,
      ablations: this.#scenario.bottleneck,
      profile: this.#options.profile,
    };
  }

  /** Keeps the adapter of a program if no variant uses one. */
  #keepAdapter(info: AdapterInfo): void {
    if (this.#device === null) keepAdapter(this.#options, info);
  }

  #kernelsChosen(): void {
    const { variants, runs, memory, slots } = this.#planned;
    const chosen = variants.map(({ variant }, i) => ({ variant, compiled: runs[i]!.compiled }));
    checkTogether(chosen, memory, this.#scenario.measure.processes !== null);
    slots?.free();
  }

  /** Trains with several seeds, then to the target, where the scenario asks for it. */
  async #trainAgain(): Promise<void> {
    const { seeds, target, seed } = this.#scenario;
    const { variants, runs, arms, controlArm, slots } = this.#planned;
    if ((seeds === null && target === null) || this.#device === null) return;
    // Each training has its own session, so the measured arms can release the device's memory
    for (const arm of arms) await arm.close();
    const trainings = {
      seed,
      variants: variants.flatMap((planned, i) => {
        const run = runs[i]!;
        return run === controlArm ? [] : [{ ...planned, run }];
      }),
      device: this.#device,
      slots: slots!,
      attempt: this.#attempts.attempt,
      interrupted: this.#options.interrupted,
      progress: this.#progress,
    };
    if (seeds !== null) await repeatTrainings(trainings, seeds, this.#options.runRecorder ?? null);
    if (target !== null) await trainToTarget(trainings, target);
  }

  #tolerance(name: string): LossTolerance | null {
    const { variants, baseline, measure: { tolerance } } = this.#scenario;
    const [variant, reference] = [name, baseline].map((wanted) => variants.find((one) => one.name === wanted));
    return variant === undefined || reference === undefined ? null : toleranceOf(variant, reference, tolerance);
  }
}

/** Creates data sets that do not exist yet. Returns false if interrupted. */
async function prepareData(
  specs: readonly DataSpec[],
  progress: RunProgress,
  interrupted: () => boolean,
): Promise<boolean> {
  const stop = new AbortController();
  try {
    for (const spec of specs) {
      await prepareDataset(spec, {
        signal: stop.signal,
        onProgress: (fraction, message) => {
          if (interrupted()) stop.abort();
          progress.at(null, "data", Math.round(fraction * 100), 100, { message });
        },
      });
    }
    return true;
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    return false;
  }
}

/** Returns the work of an experiment that is known before it starts, for the estimate of the time left. */
function expectedWork(
  { measure, seeds, target }: Pick<ResolvedScenario, "measure" | "seeds" | "target">,
  { arms, runs, variants, controlArm, rules, schedule }: PlannedArms,
  measured: Pick<MeasureOptions, "arms" | "controlArm" | "unprofiled" | "ablations" | "profile">,
): ExpectedWork {
  const rounds = leastRounds(rules);
  const running = arms.filter((arm) => arm.running);
  const steps = running.map(({ unit, tuning }) =>
    warmUpSteps(schedule, unit, tuning?.switchStep).least + rounds * blockSteps(schedule, unit, 1)
  );
  const trained =
    variants.filter(({ variant: { config } }, i) =>
      config.optimizer !== null && runs[i]!.running && runs[i] !== controlArm
    ).length;
  const profiled = profiledArms(measured);
  return {
    arms: running.length,
    steps: steps.reduce((sum, one) => sum + one, 0),
    profiled: profiled.filter((arm) => measured.profile !== null || arm.profiling?.always === true).length,
    timedSteps: measured.profile === null ? 0 : leastOpRounds(measure.opRounds) * profiled.length,
    ablated: ablatedArms(measured).length,
    ...seeds === null ? {} : { seeds: { trainings: seeds * trained, steps: Math.min(...steps) } },
    ...target === null ? {} : { target: { trainings: target.seeds * trained, steps: target.maxSteps } },
  };
}
