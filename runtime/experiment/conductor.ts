import { sampleClock } from "../device/clock.ts";
import { Device } from "../device/device.ts";
import { DEFAULT_TRAITS } from "../device/traits.ts";
import { SlotPool } from "../engine/slot_pool.ts";
import { type ClockSample, fitClock } from "../record/clock_fit.ts";
import type { Result } from "../result/schema.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import type { Keeper } from "../store/keeper.ts";
import { Attempts } from "./attempts.ts";
import { adapterRecord } from "./environment.ts";
import { Keeping } from "./keeping.ts";
import { measurePeaks } from "./measured_peaks.ts";
import type { ExperimentOptions } from "./options.ts";
import { memoryCheck, planAll, type Planned, type Schedule, scheduleOf } from "./planning.ts";
import { machineState, preflightWarnings } from "./start/preflight.ts";
import { prepareData } from "./start/preparation.ts";
import { Probe } from "./rounds/probe.ts";
import { composeResult } from "./result.ts";
import { Readiness } from "./start/readiness.ts";
import { checkAdapter } from "./start/resume.ts";
import { startArms } from "./start/start_arms.ts";
import type { WarmUpSteps } from "./start/warm_up.ts";
import { Rounds, type RoundsOutcome } from "./rounds/rounds.ts";
import { RunProgress } from "./run_progress.ts";
import { planControlArm } from "./rounds/control_arm.ts";
import { blockSteps, switchStep, warmUpSteps } from "./start/step_counts.ts";
import { leastRounds, type StoppingRules } from "./rounds/stopping.ts";
import { trainToTarget } from "./target/runs.ts";
import { VariantRun } from "./variant/run.ts";

export { dryRun } from "./dry_run.ts";

export type { ExperimentOptions } from "./options.ts";

/**
 * Runs the variants of a scenario: prepares all of them, warms each up, then runs their blocks interleaved in rounds
 * (STATISTICS.md). A variant that fails does not end the others.
 *
 * @throws {InputError} if no variant can be run, or they do not fit the memory together
 * @throws {DeviceError} if there is no adapter
 */
export async function runExperiment(scenario: ResolvedScenario, options: ExperimentOptions): Promise<Result> {
  const needsDevice = scenario.variants.some(({ config }) => config.model !== null);
  const device = needsDevice
    ? await Device.open(options.adapter === undefined ? {} : { match: options.adapter })
    : null;
  try {
    if (device !== null && options.keeper != null) {
      checkAdapter(options.keeper, device.info.name);
      options.keeper.keepAdapter(adapterRecord(device.info));
    }
    return await new Experiment(scenario, options, device).run();
  } finally {
    device?.destroy();
  }
}

class Experiment {
  readonly #scenario: ResolvedScenario;
  readonly #options: ExperimentOptions;
  readonly #device: Device | null;
  /** The variants, and the control arm after them. */
  readonly #planned: readonly Planned[];
  readonly #checkMemory: ReturnType<typeof memoryCheck>;
  readonly #arms: readonly VariantRun[];
  readonly #controlArm: VariantRun | null;
  readonly #schedule: Schedule;
  readonly #rules: StoppingRules;
  readonly #attempts: Attempts;
  readonly #keeper: Keeper | null;
  readonly #keeping: Keeping;
  readonly #progress: RunProgress;
  readonly #clock: ClockSample[] = [];

  constructor(scenario: ResolvedScenario, options: ExperimentOptions, device: Device | null) {
    this.#scenario = scenario;
    this.#options = options;
    this.#device = device;
    const traits = device?.traits ?? DEFAULT_TRAITS;
    const variants = planAll(scenario, traits, device?.info.name ?? "none");
    const second = planControlArm(scenario, variants, traits);
    this.#planned = second === null ? variants : [...variants, second];
    this.#checkMemory = memoryCheck(scenario, device?.info ?? { fallback: false });
    this.#checkMemory(this.#planned);
    this.#schedule = scheduleOf(scenario, variants);
    // Epochs are for the training, and a variant alone has nothing to be compared with
    const fixed = this.#schedule.epochs || variants.length < 2;
    const { rounds } = this.#schedule;
    const { minRounds = 1 } = options;
    this.#rules = { ...scenario.measure, rounds, minRounds, ...fixed ? { precision: null } : {} };
    this.#arms = this.#planned.map(({ variant, dataset, compiled, error }) => {
      const unit = Math.max(1, compiled?.sink ?? 0);
      const run = new VariantRun(variant, dataset, compiled, options, switchStep(this.#schedule, unit, variant.config));
      if (error !== null) run.fail(error);
      return run;
    });
    this.#controlArm = second === null ? null : this.#arms.at(-1)!;
    this.#attempts = new Attempts(this.#arms, device, options.interrupted);
    this.#keeper = options.keeper ?? null;
    this.#keeping = new Keeping(this.#keeper, () => device?.lost ?? false);
    this.#progress = new RunProgress(options.onProgress, {
      steps: this.#expectedSteps(),
      apart: this.#toTakeApart().length,
    });
  }

  async run(): Promise<Result> {
    const slots = this.#device === null ? null : new SlotPool(this.#device);
    let probe: Probe | null = null;
    try {
      const preflight = preflightWarnings(await machineState(this.#device?.info ?? null));
      const specs = this.#planned.map(({ variant }) => variant.config.data);
      const made = await prepareData(specs, this.#progress, this.#options.interrupted);
      if (!made) { for (const run of this.#arms) run.interrupt(); }
      await this.#start(slots);
      await this.#sampleClock();
      probe = await this.#makeProbe();
      const readiness = new Readiness({
        keeper: this.#keeper,
        keeping: this.#keeping,
        progress: this.#progress,
        attempt: this.#attempts.attempt,
        warmUpSteps: (run) => this.#warmUpSteps(run),
        afterEpoch: (run, epoch) => this.#afterEpoch(run, epoch),
      });
      await this.#getReady(readiness);
      const rounds = await this.#rounds(probe);
      if (!this.#schedule.epochs) { for (const run of this.#arms) await this.#evaluate(run); }
      for (const run of this.#arms) if (this.#isProfiled(run)) await this.#profile(run);
      await this.#takeApart();
      await this.#sampleClock();
      const peaks = await measurePeaks(this.#device, this.#arms, this.#options, this.#progress);
      await this.#trainToTarget(slots);
      return await composeResult({
        scenario: this.#scenario,
        options: this.#options,
        device: this.#device,
        runs: this.#arms.filter((run) => run !== this.#controlArm),
        controlArm: this.#controlArm,
        clock: fitClock(this.#clock),
        rounds,
        warmUp: readiness.warmUp,
        warnings: [...preflight, ...readiness.warnings],
        peaks,
      });
    } finally {
      for (const run of this.#arms) await run.close();
      probe?.free();
      slots?.free();
    }
  }

  #start(slots: SlotPool | null): Promise<void> {
    return startArms({
      arms: this.#arms,
      baseline: this.#baseline(),
      controlArm: this.#controlArm,
      device: this.#device,
      slots,
      keeper: this.#keeper,
      keeping: this.#keeping,
      progress: this.#progress,
      interrupted: this.#options.interrupted,
      attempt: this.#attempts.attempt,
      warmUpSteps: (run) => this.#warmUpSteps(run),
      setUpProfile: (run) => this.#setUpProfile(run),
      checkMemory: () =>
        this.#checkMemory(this.#planned.map(({ variant }, i) => ({ variant, compiled: this.#arms[i]!.compiled }))),
    });
  }

  async #getReady(readiness: Readiness): Promise<void> {
    for (const run of this.#arms) {
      await this.#setUpProfile(run);
      await readiness.get(run);
    }
  }

  async #setUpProfile(run: VariantRun): Promise<void> {
    const request = this.#options.profile;
    if (request === null || !this.#isProfiled(run)) return;
    await this.#attempts.attempt(run, () => run.setUpProfile(request));
  }

  #rounds(probe: Probe | null): Promise<RoundsOutcome> {
    return new Rounds({
      arms: this.#arms.filter((_, i) => this.#planned[i]!.error === null),
      baseline: this.#baseline(),
      controlArm: this.#controlArm,
      schedule: this.#schedule,
      rules: this.#rules,
      seed: this.#scenario.seed,
      keeper: this.#keeper,
      keeping: this.#keeping,
      progress: this.#progress,
      attempt: this.#attempts.attempt,
      blockSteps: (run, round) => blockSteps(this.#schedule, run.unit, round),
      probe: () => probe === null ? Promise.resolve(null) : this.#attempts.forAll(() => probe.time()),
      afterEpoch: (run, epoch) => this.#afterEpoch(run, epoch),
    }).run();
  }

  async #makeProbe(): Promise<Probe | null> {
    const device = this.#device;
    if (device === null || !this.#arms.some((run) => run.running)) return null;
    return await this.#attempts.forAll(() => Probe.create(device));
  }

  async #afterEpoch(run: VariantRun, epoch: number): Promise<void> {
    const every = this.#configOf(run).evaluate?.every;
    if (this.#schedule.epochs && every !== undefined && epoch % every === 0) await this.#evaluate(run);
  }

  async #evaluate(run: VariantRun): Promise<void> {
    if (this.#configOf(run).evaluate === null) return;
    const onBatch = (done: number, all: number) => this.#progress.at(run.name, "evaluate", done, all);
    await this.#attempts.attempt(run, () => run.evaluate(onBatch));
  }

  #isProfiled(run: VariantRun): boolean {
    return run !== this.#controlArm && run.name !== this.#options.unprofiled;
  }

  async #profile(run: VariantRun): Promise<void> {
    if (this.#options.profile === null) return;
    const onStep = (done: number, all: number) => this.#progress.at(run.name, "profile", done, all);
    await this.#attempts.attempt(run, () => run.profile(onStep));
  }

  /** Variants that can go on, and train or infer. */
  #toTakeApart(): VariantRun[] {
    if (!this.#scenario.bottleneck) return [];
    return this.#arms.filter((run) => this.#isProfiled(run) && run.running && this.#configOf(run).model !== null);
  }

  async #takeApart(): Promise<void> {
    const runs = this.#toTakeApart();
    for (const [i, run] of runs.entries()) {
      const message = "with parts taken away";
      const onRound = (done: number, all: number) =>
        this.#progress.apart(run.name, i + done / all, runs.length, `${message}, round ${done}/${all}`);
      this.#progress.apart(run.name, i, runs.length, message);
      await this.#attempts.attempt(run, () => run.takeApart(this.#scenario.seed, onRound));
    }
  }

  async #trainToTarget(slots: SlotPool | null): Promise<void> {
    const { target, seed } = this.#scenario;
    if (target === null || this.#device === null) return;
    // Trainings of their own, one at a time: what the matrix held on the device is not needed any more
    for (const run of this.#arms) await run.close();
    await trainToTarget({
      target,
      seed,
      variants: this.#planned.flatMap((planned, i) => {
        const run = this.#arms[i]!;
        return run === this.#controlArm ? [] : [{ ...planned, run }];
      }),
      device: this.#device,
      slots: slots!,
      attempt: this.#attempts.attempt,
      interrupted: this.#options.interrupted,
      progress: this.#progress,
    });
  }

  /** Sees the device's clock beside the host's; at the start and the end, so that their rates can be compared. */
  async #sampleClock(): Promise<void> {
    if (this.#device === null || this.#device.lost) return;
    const sample = await sampleClock(this.#device);
    if (sample !== null) this.#clock.push(sample);
  }

  #expectedSteps(): number {
    const rounds = leastRounds(this.#rules);
    const stepsOf = (run: VariantRun) =>
      this.#warmUpSteps(run).least + rounds * blockSteps(this.#schedule, run.unit, 1);
    return this.#arms.filter((run) => run.running).reduce((sum, run) => sum + stepsOf(run), 0);
  }

  #warmUpSteps({ unit, tuning }: VariantRun): WarmUpSteps {
    return warmUpSteps(this.#schedule, unit, tuning.switchStep);
  }

  #configOf(run: VariantRun) {
    return this.#planned[this.#arms.indexOf(run)]!.variant.config;
  }

  #baseline(): VariantRun | undefined {
    return this.#arms.find(({ name }) => name === this.#scenario.baseline);
  }
}
