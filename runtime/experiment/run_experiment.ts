import type { Cluster } from "../cluster/cluster.ts";
import { howToStartRanks } from "../cluster/launcher.ts";
import { ClusterError, InputError } from "../core/errors.ts";
import { environment } from "../device/environment.ts";
import type { AdapterInfo } from "../device/adapter.ts";
import { Device } from "../device/device.ts";
import { DEFAULT_TRAITS } from "../device/traits.ts";
import { SlotPool } from "../engine/slot_pool.ts";
import type { OpRecord } from "../result/ops.ts";
import type { Emit } from "../result/run_event.ts";
import type { Procedure, Result } from "../result/schema.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import type { Arm } from "./arm.ts";
import { Attempts } from "./attempts.ts";
import { adapterRecord, TACHO_VERSION } from "./environment.ts";
import { ablatedArms, measureArms, profiledArms } from "./measure_arms.ts";
import { measurePeaks, needsPeaks, peaksAbove } from "./measure_peaks.ts";
import type { ExperimentOptions } from "./options.ts";
import {
  checkTogether,
  type MemoryLimit,
  memoryLimitOf,
  planAll,
  type Planned,
  type Schedule,
  scheduleOf,
} from "./planning.ts";
import { checkDevices, type TeamFacts, teamFacts, teamWarnings } from "./team.ts";
import { checkRanks, rankFacts } from "./rank_facts.ts";
import { checkPlans } from "./rank_plans.ts";
import { END, isDistributed, onAllRanks } from "./ranks.ts";
import {
  adapterWarnings,
  type AnyProgramArm,
  checkUnits,
  programAdapter,
  programArms,
  programControlArm,
} from "./programs/program_arms.ts";
import { composeResult } from "./result.ts";
import { planControlArm } from "./rounds/control_arm.ts";
import { leastRounds, type StoppingRules } from "./rounds/stopping.ts";
import { type ExpectedWork, RunProgress } from "./run_progress.ts";
import { repeatTrainings } from "./seeds/repeat_trainings.ts";
import { machineState, preflightWarnings } from "./start/preflight.ts";
import { prepareData } from "./start/prepare_data.ts";
import { checkAdapter } from "./start/resume.ts";
import { blockSteps, switchStep, warmUpSteps } from "./start/step_counts.ts";
import { trainToTarget } from "./target/train_to_target.ts";
import { toleranceOf } from "./tolerance.ts";
import { loadDatasets } from "../data/sources/sources.ts";
import type { LossTolerance } from "../analysis/comparison/losses.ts";
import { follow } from "./variant/distributed_run.ts";
import type { VariantRun } from "./variant/run.ts";
import { variantArm } from "./variant/variant_arm.ts";

export { dryRun } from "./dry_run.ts";

export type { ExperimentOptions } from "./options.ts";

/**
 * Runs the variants of a scenario: prepares all of them, warms each up, and measures their blocks interleaved in rounds. A
 * failed variant does not end the others.
 *
 * @throws {InputError} if no variant can run, or the variants do not fit in memory together
 * @throws {DeviceError} if there is no adapter
 */
export async function runExperiment(scenario: ResolvedScenario, options: ExperimentOptions): Promise<Result> {
  const { cluster = null } = options;
  if (cluster === null && isDistributed(scenario)) {
    throw new InputError(`distribute: this process is the only rank; ${howToStartRanks()}, or set distribute to false`);
  }
  return await withExperiment(scenario, options, async (experiment) => {
    try {
      return await experiment.run();
    } finally {
      if (cluster?.failure === null) await cluster.broadcast(JSON.stringify(END));
    }
  });
}

/**
 * Runs a scenario on a rank other than 0, which measures nothing and ends with rank 0.
 *
 * @throws {TachoError} if the rank differs from rank 0, or another rank stops
 */
export async function followExperiment(
  scenario: ResolvedScenario,
  options: ExperimentOptions & { readonly cluster: Cluster },
): Promise<void> {
  await withExperiment(scenario, options, (experiment) => experiment.follow(options.cluster));
}

async function withExperiment<T>(
  scenario: ResolvedScenario,
  options: ExperimentOptions,
  work: (experiment: Experiment) => Promise<T>,
): Promise<T> {
  const needsDevice = scenario.variants.some(({ config }) => config.model !== null);
  const { cluster = null } = options;
  const together = <R>(task: () => Promise<R>) => cluster === null ? task() : onAllRanks(cluster, task);
  if (cluster !== null) {
    cluster.begun = true;
    limitThreads(cluster);
  }
  const open = () => Device.open(options.adapter === undefined ? {} : { match: options.adapter });
  let device: Device | null = null;
  try {
    await together(() => loadDatasets(scenario.variants.map(({ config }) => config.data)));
    device = needsDevice ? await together(open) : null;
    if (device !== null) {
      const { info } = device;
      await together(() => Promise.resolve(keepAdapter(options, info)));
    }
    if (cluster !== null) {
      const { script, modules } = options;
      await checkRanks(
        cluster,
        await together(() => rankFacts(scenario, { version: TACHO_VERSION, script, modules, device })),
      );
    }
    const team = cluster === null ? null : await teamFacts(cluster, device?.info ?? null);
    if (team !== null) checkDevices(team.places, device?.info.fallback === true || options.shareDevice === true);
    const experiment = await together(() => Promise.resolve(new Experiment(scenario, options, device, team)));
    if (cluster !== null) await checkPlans(cluster, experiment.planned);
    return await work(experiment);
  } catch (error) {
    if (error instanceof ClusterError) cluster?.abandon(); // MPI would wait for ranks that may be gone
    throw error;
  } finally {
    device?.destroy();
  }
}

/** @throws {InputError} if the run was begun on another adapter */
function keepAdapter({ runRecorder }: ExperimentOptions, info: AdapterInfo): void {
  if (runRecorder == null) return;
  checkAdapter(runRecorder, info.name);
  runRecorder.keepAdapter(adapterRecord(info));
}

/** Divides the cores of a host among its ranks on software adapters, unless `LP_NUM_THREADS` is set. */
function limitThreads(cluster: Cluster): void {
  if (environment("LP_NUM_THREADS") !== null) return;
  Deno.env.set("LP_NUM_THREADS", String(Math.max(1, Math.floor(navigator.hardwareConcurrency / cluster.ranksHere))));
}

/** Plans the variants of a scenario as arms, measures them, trains them to a target, and composes the result. */
class Experiment {
  readonly #scenario: ResolvedScenario;
  readonly #options: ExperimentOptions;
  readonly #device: Device | null;
  readonly #team: TeamFacts | null;
  /** Activations of all variants; null without a device. */
  readonly #slots: SlotPool | null;
  /** The variants, and the control arm after them. */
  readonly #planned: readonly Planned[];
  readonly #memory: MemoryLimit;
  /** Arms of the planned variants, in their order. */
  readonly #runs: readonly VariantRun[];
  readonly #programs: readonly AnyProgramArm[];
  /** All arms, the control arm last. */
  readonly #arms: readonly Arm[];
  readonly #controlArm: Arm | null;
  readonly #schedule: Schedule;
  readonly #rules: StoppingRules;
  /** Warnings about processes of a variant that do not train alike. */
  readonly #differences: Procedure["warnings"] = [];
  readonly #attempts: Attempts;
  readonly #progress: RunProgress;
  readonly #emit: Emit;

  /** @param team facts about the ranks; null on one */
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
    const traits = device?.traits ?? DEFAULT_TRAITS;
    const { cluster = null } = options;
    const ranks = cluster?.size ?? 1;
    const memory = this.#memory = memoryLimitOf(scenario, device?.info ?? { fallback: false });
    const variants = planAll(scenario, { traits, adapterName: device?.info.name ?? "none", memory, ranks });
    const control = planControlArm(scenario, variants, traits, ranks);
    this.#planned = control === null ? variants : [...variants, control];
    const inProcesses = scenario.measure.processes !== null;
    checkTogether(this.#planned, memory, inProcesses);
    const slots = this.#slots = device === null ? null : new SlotPool(device);
    const schedule = this.#schedule = scheduleOf(scenario, variants);
    // The number of rounds is fixed when training for epochs, and for a single variant, which has no interval
    const fixed = schedule.epochs || variants.length + scenario.programs.length < 2;
    const { rounds } = schedule;
    const { minRounds = 1, interrupted } = options;
    this.#rules = { ...scenario.measure, rounds, minRounds, ...fixed ? { precision: null } : {} };
    this.#runs = this.#planned.map((planned, index) => {
      const { compiled, variant: { config } } = planned;
      return variantArm(planned, {
        ...{ device, slots, interrupted, cluster, team, cache: options.cache ?? true, index },
        // With fresh processes, kernels are chosen here before the first step
        switchStep: inProcesses ? 0 : switchStep(schedule, Math.max(1, compiled?.sink ?? 0), config),
        ...{
          of: variants[index]?.variant.name ?? scenario.baseline,
          inProcesses,
          source: options.processSource ?? null,
        },
        onWarning: (message) => this.#differences.push({ kind: "processes", message }),
      });
    });
    const place = {
      interrupted,
      onAdapter: (info: AdapterInfo) => this.#keepAdapter(info),
      onProfileFailure: (message: string) => this.#emit({ type: "warning", kind: null, message }),
    };
    this.#programs = programArms(scenario, place);
    checkUnits([...this.#runs, ...this.#programs], this.#programs);
    const runnable = variants.filter(({ error }) => error === null).length;
    const second = control === null ? programControlArm(scenario, runnable, place) : this.#runs.at(-1)!;
    this.#arms = [...this.#runs.filter((run) => run !== second), ...this.#programs, ...second === null ? [] : [second]];
    this.#controlArm = second;
    this.#attempts = new Attempts(this.#arms, device, interrupted, this.#emit);
    this.#progress = new RunProgress(this.#emit, this.#expectedWork());
  }

  get planned(): readonly Planned[] {
    return this.#planned;
  }

  /** Runs the steps of distributed variants on the commands of rank 0. */
  async follow(cluster: Cluster): Promise<void> {
    try {
      await follow(cluster, this.#runs, this.#planned.map(({ variant: { config } }) => config.data));
    } finally {
      for (const arm of this.#arms) await arm.close();
      this.#slots?.free();
    }
  }

  async run(): Promise<Result> {
    const { interrupted } = this.#options;
    const { name, seed, baseline } = this.#scenario;
    const terms = [...this.#scenario.variants, ...this.#scenario.programs.map(({ name }) => ({ name, settings: {} }))];
    this.#emit({ type: "start", scenario: name, seed, baseline, variants: terms.map(({ name }) => name) });
    this.#planned.forEach(({ error }, i) => error !== null && this.#attempts.fail(this.#runs[i]!, error));
    try {
      const preflight = [
        ...preflightWarnings(await machineState(this.#device?.info ?? null)),
        ...this.#team === null ? [] : teamWarnings(this.#team),
      ];
      for (const warning of preflight) this.#emit({ type: "warning", ...warning });
      if (await needsPeaks(this.#device, this.#options)) this.#progress.expectPeaks();
      const specs = this.#planned.map(({ variant }) => variant.config.data);
      const made = await prepareData(specs, this.#progress, interrupted);
      if (!made) this.#attempts.interruptAll();
      const measured = await measureArms({
        ...this.#measured(),
        baseline: this.#scenario.baseline,
        schedule: this.#schedule,
        rules: this.#rules,
        seed: this.#scenario.seed,
        device: this.#device,
        slots: this.#slots,
        setups: this.#scenario.measure.setups,
        processes: this.#scenario.measure.processes,
        attempts: this.#attempts,
        progress: this.#progress,
        emit: this.#emit,
        runRecorder: this.#options.runRecorder ?? null,
        profile: this.#options.profile,
        interrupted,
        kernelsChosen: () => this.#kernelsChosen(),
      });
      const measureAll = (ops?: readonly OpRecord[]) =>
        measurePeaks(this.#device, this.#runs, this.#options, this.#progress, ops);
      const peaks = await measureAll();
      await this.#trainAgain();
      const result = await composeResult({
        ...measured,
        scenario: { ...this.#scenario, variants: terms, tolerance: (name) => this.#tolerance(name) },
        options: this.#options,
        adapter: this.#device?.info ?? programAdapter(this.#programs),
        arms: this.#arms.filter((arm) => arm !== this.#controlArm),
        controlArm: this.#controlArm,
        warnings: [
          ...preflight,
          ...measured.warnings,
          ...this.#differences,
          ...adapterWarnings(this.#device?.info ?? null, this.#programs),
        ],
        peaks: (ops) => peaksAbove(ops, peaks, () => measureAll(ops)),
      });
      const later = result.procedure!.warnings.slice(preflight.length);
      for (const warning of later) this.#emit({ type: "warning", ...warning });
      this.#emit({ type: "result", result });
      return result;
    } finally {
      for (const arm of this.#arms) await arm.close();
      this.#slots?.free();
    }
  }

  /** Selects the arms that are measured, profiled and ablated. */
  #measured() {
    return {
      arms: this.#arms,
      controlArm: this.#controlArm,
      unprofiled: this.#options.unprofiled,
      ablations: this.#scenario.bottleneck,
    };
  }

  /** Keeps the adapter of a program if no variant uses one. */
  #keepAdapter(info: AdapterInfo): void {
    if (this.#device === null) keepAdapter(this.#options, info);
  }

  #kernelsChosen(): void {
    checkTogether(
      this.#planned.map(({ variant }, i) => ({ variant, compiled: this.#runs[i]!.compiled })),
      this.#memory,
      this.#scenario.measure.processes !== null,
    );
    this.#slots?.free();
  }

  /** Trains with several seeds, then to the target, where the scenario asks for it. */
  async #trainAgain(): Promise<void> {
    const { seeds, target, seed } = this.#scenario;
    if ((seeds === null && target === null) || this.#device === null) return;
    // Each training has its own session, so the measured arms can release the device's memory
    for (const arm of this.#arms) await arm.close();
    const trainings = {
      seed,
      variants: this.#planned.flatMap((planned, i) => {
        const run = this.#runs[i]!;
        return run === this.#controlArm ? [] : [{ ...planned, run }];
      }),
      device: this.#device,
      slots: this.#slots!,
      attempt: this.#attempts.attempt,
      interrupted: this.#options.interrupted,
      progress: this.#progress,
    };
    const { runRecorder = null } = this.#options;
    if (seeds !== null) await repeatTrainings({ ...trainings, seeds, runRecorder });
    if (target !== null) await trainToTarget({ ...trainings, target });
  }

  #tolerance(name: string): LossTolerance | null {
    const { variants, baseline, measure: { tolerance } } = this.#scenario;
    const [variant, reference] = [name, baseline].map((wanted) => variants.find((one) => one.name === wanted));
    return variant === undefined || reference === undefined ? null : toleranceOf(variant, reference, tolerance);
  }

  #expectedWork(): ExpectedWork {
    const { seeds, target } = this.#scenario;
    const rounds = leastRounds(this.#rules);
    const arms = this.#arms.filter((arm) => arm.running);
    const steps = arms.map(({ unit, tuning }) =>
      warmUpSteps(this.#schedule, unit, tuning?.switchStep).least + rounds * blockSteps(this.#schedule, unit, 1)
    );
    const trained =
      this.#planned.filter(({ variant: { config } }, i) =>
        config.optimizer !== null && this.#runs[i]!.running && this.#runs[i] !== this.#controlArm
      ).length;
    return {
      arms: arms.length,
      steps: steps.reduce((sum, one) => sum + one, 0),
      profiled:
        profiledArms(this.#measured()).filter((arm) => this.#options.profile !== null || arm.alwaysProfiled === true)
          .length,
      ablated: ablatedArms(this.#measured()).length,
      ...seeds === null ? {} : { seeds: { trainings: seeds * trained, steps: Math.min(...steps) } },
      ...target === null ? {} : { target: { trainings: target.seeds * trained, steps: target.maxSteps } },
    };
  }
}
