import { boundBy, speedup } from "../analysis/metrics.ts";
import { rooflineOf } from "../analysis/roofline.ts";
import { DeviceError, InterruptedError, TachoError } from "../core/errors.ts";
import type { ProgressEvent } from "../core/progress.ts";
import { roundUp } from "../core/round_up.ts";
import { prepareDataset } from "../data/prepare.ts";
import { sampleClock } from "../device/clock.ts";
import { Device } from "../device/device.ts";
import { DEFAULT_TRAITS } from "../device/traits.ts";
import { adapterPeaks } from "../engine/peak_cache.ts";
import { SlotPool } from "../engine/slot_pool.ts";
import { type ClockSample, fitClock } from "../record/clock_fit.ts";
import type { ProfileRequest } from "../record/schedule.ts";
import type { Timeline } from "../record/timeline.ts";
import type { Peaks } from "../record/peaks.ts";
import { SCHEMA_VERSION } from "../result/schema.ts";
import type { Result, VariantResult } from "../result/schema.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import { describeEnvironment } from "./environment.ts";
import { roundOrder } from "./order.ts";
import { checkMemory, planAll, type Planned, type Schedule, scheduleOf } from "./planning.ts";
import { VariantRun } from "./variant_run.ts";

export { dryRun } from "./planning.ts";

export interface ExperimentOptions {
  /** Part of the name of the adapter to use. */
  readonly adapter?: string;
  /** Looked at between steps; once it is true the run ends and what was measured is returned. */
  readonly interrupted: () => boolean;
  readonly onProgress: (event: ProgressEvent) => void;
  /** Told of what did not work and does not matter much. */
  readonly onWarning?: (message: string) => void;
  /** Profiled steps to run after the measured ones; null for none. */
  readonly profile: ProfileRequest | null;
  /** Given the profiled steps of each variant on one time axis, at the end. */
  readonly onTimeline?: (timeline: Timeline) => void;
  readonly script: { readonly file: string | null; readonly sha256: string | null };
}

/**
 * Runs the variants of a scenario: prepares all of them, warms each up, then runs their blocks interleaved in rounds.
 * A variant that fails does not end the others.
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
    return await new Experiment(scenario, options, device).run();
  } finally {
    device?.destroy();
  }
}

class Experiment {
  readonly #scenario: ResolvedScenario;
  readonly #options: ExperimentOptions;
  readonly #device: Device | null;
  readonly #planned: readonly Planned[];
  readonly #schedule: Schedule;
  readonly #runs: readonly VariantRun[];
  readonly #progress: Progress;
  readonly #clock: ClockSample[] = [];

  constructor(scenario: ResolvedScenario, options: ExperimentOptions, device: Device | null) {
    this.#scenario = scenario;
    this.#options = options;
    this.#device = device;
    const traits = device?.traits;
    this.#planned = traits === undefined
      ? planAll(scenario, DEFAULT_TRAITS, "none")
      : planAll(scenario, traits, device!.info.name);
    if (traits !== undefined) checkMemory(this.#planned, scenario, traits);
    this.#schedule = scheduleOf(scenario, this.#planned);
    this.#runs = this.#planned.map(({ variant, dataset, compiled, error }) => {
      const run = new VariantRun(variant, dataset, compiled, options);
      if (error !== null) run.fail(error);
      return run;
    });
    const { rounds } = this.#schedule;
    const total = this.#runs.reduce((sum, run) => sum + this.#warmUpSteps(run) + rounds * this.#blockSteps(run), 0);
    this.#progress = new Progress(options.onProgress, total);
  }

  async run(): Promise<Result> {
    const slots = this.#device === null ? null : new SlotPool(this.#device);
    try {
      await this.#prepareData();
      await this.#tune();
      this.#planned.forEach(({ variant }, i) => {
        const { compiled } = this.#runs[i]!;
        if (compiled === null) return;
        slots!.reserve(compiled.plan.slots);
        if (variant.config.evaluate !== null) slots!.reserve(compiled.inference().slots);
      });
      for (const run of this.#runs) {
        this.#progress.at(run.name, "compile");
        await this.#attempt(run, () => run.prepare(this.#device, slots));
      }
      await this.#sampleClock();
      for (const run of this.#runs) await this.#warmUp(run);
      await this.#rounds();
      if (!this.#schedule.epochs) { for (const run of this.#runs) await this.#evaluate(run); }
      for (const run of this.#runs) await this.#profile(run);
      await this.#sampleClock();
      const peaks = await this.#measurePeaks();
      return this.#result(await describeEnvironment(this.#device?.info ?? null), peaks);
    } finally {
      for (const run of this.#runs) await run.close();
      slots?.free();
    }
  }

  async #prepareData(): Promise<void> {
    const stop = new AbortController();
    for (const { variant } of this.#planned) {
      try {
        await prepareDataset(variant.config.data, {
          signal: stop.signal,
          onProgress: (fraction) => {
            if (this.#options.interrupted()) stop.abort();
            this.#progress.at(null, "data", Math.round(fraction * 100), 100, "drawing the stand-in for CIFAR-10");
          },
        });
      } catch (error) {
        if (!(error instanceof InterruptedError)) throw error;
        for (const run of this.#runs) run.interrupt();
      }
    }
  }

  /** Chooses kernels before anything is allocated or run, so that all steps of a variant are those of one plan. */
  async #tune(): Promise<void> {
    const device = this.#device;
    if (device === null) return;
    for (const run of this.#runs) {
      await this.#attempt(run, () =>
        run.tune(device, (done, all) => {
          this.#progress.at(run.name, "tune", done, all);
        }));
    }
    const chosen = this.#planned.map((planned, i) => ({ ...planned, compiled: this.#runs[i]!.compiled }));
    checkMemory(chosen, this.#scenario, device.traits);
  }

  async #warmUp(run: VariantRun): Promise<void> {
    const steps = this.#warmUpSteps(run);
    this.#progress.at(run.name, "warmup", 0, steps);
    const request = this.#options.profile;
    if (request !== null) await this.#attempt(run, () => run.setUpProfile(request));
    await this.#attempt(run, () =>
      run.warmUp(steps, (step) => {
        this.#progress.advance(run.unit);
        this.#progress.at(run.name, "warmup", step, steps);
      }));
  }

  async #rounds(): Promise<void> {
    const { rounds, epochs } = this.#schedule;
    for (let round = 0; round < rounds; round++) {
      const order = roundOrder(this.#runs.length, this.#scenario.seed, round);
      for (const [position, index] of order.entries()) {
        const run = this.#runs[index]!;
        const steps = this.#blockSteps(run, round);
        const message = `${epochs ? "epoch" : "round"} ${round + 1}/${rounds}`;
        this.#progress.at(run.name, "measure", 0, steps, message);
        await this.#attempt(
          run,
          () =>
            run.block(round, position, steps, (done) => this.#progress.at(run.name, "measure", done, steps, message)),
        );
        this.#progress.advance(steps);
        const every = this.#planned[index]!.variant.config.evaluate?.every;
        if (epochs && every !== undefined && (round + 1) % every === 0) await this.#evaluate(run);
      }
    }
  }

  async #evaluate(run: VariantRun): Promise<void> {
    const planned = this.#planned.find(({ variant }) => variant.name === run.name)!;
    if (planned.variant.config.evaluate === null) return;
    await this.#attempt(run, () =>
      run.evaluate((done, all) => {
        this.#progress.at(run.name, "evaluate", done, all);
      }));
  }

  async #profile(run: VariantRun): Promise<void> {
    if (this.#options.profile === null) return;
    await this.#attempt(run, () => run.profile((done, all) => this.#progress.at(run.name, "profile", done, all)));
  }

  /** Sees the device's clock beside the host's; at the start and the end, so that their rates can be compared. */
  async #sampleClock(): Promise<void> {
    if (this.#device === null || this.#device.lost) return;
    const sample = await sampleClock(this.#device);
    if (sample !== null) this.#clock.push(sample);
  }

  /**
   * Steps of a variant that do not count, in whole sinks. In epochs they are the first of the first epoch, and none where
   * they would be all of it: every variant trains for as many epochs as it was told.
   */
  #warmUpSteps(run: VariantRun): number {
    const { skip, steps, epochs } = this.#schedule;
    const skipped = roundUp(skip, run.unit);
    return epochs && skipped >= steps ? 0 : skipped;
  }

  #blockSteps(run: VariantRun, round = 1): number {
    const { steps, epochs } = this.#schedule;
    const counted = epochs && round === 0 ? steps - this.#warmUpSteps(run) : steps;
    return roundUp(counted, run.unit);
  }

  /** Does a part of a variant's run, unless it has ended; a failure ends this variant, a lost device all of them. */
  async #attempt(run: VariantRun, work: () => Promise<void>): Promise<void> {
    if (!run.running) return;
    if (this.#options.interrupted()) return run.interrupt();
    try {
      await work();
    } catch (error) {
      if (error instanceof InterruptedError) return run.interrupt();
      if (!(error instanceof TachoError)) throw error;
      if (error instanceof DeviceError && this.#device?.lost) { for (const other of this.#runs) other.fail(error); }
      else run.fail(error);
    }
  }

  /** What the adapter can do at most, where ops were profiled that can be held against it. */
  async #measurePeaks(): Promise<Peaks | null> {
    const device = this.#device;
    if (device === null || this.#options.profile === null || this.#options.interrupted()) return null;
    if (!this.#runs.some((run) => run.running)) return null;
    const warn = this.#options.onWarning ?? (() => {});
    this.#progress.at(null, "profile", 0, 0, "the adapter's peaks");
    try {
      return await adapterPeaks(device, { onWarning: warn });
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      warn(`The adapter's peaks were not measured: ${error.message}`);
      return null;
    }
  }

  #result(environment: Result["environment"], peaks: Peaks | null): Result {
    const clock = fitClock(this.#clock);
    const variants = this.#runs.map((run) => run.result(clock));
    for (const { timeline } of this.#runs) if (timeline !== null) this.#options.onTimeline?.(timeline);
    const baseline = variants.find((variant) => variant.name === this.#scenario.baseline);
    const common = commonSteps(variants);
    return {
      schemaVersion: SCHEMA_VERSION,
      environment,
      scenario: {
        name: this.#scenario.name,
        ...this.#options.script,
        seed: this.#scenario.seed,
        params: this.#scenario.params as Result["scenario"]["params"],
      },
      baseline: this.#scenario.baseline,
      variants: variants.map((variant) => ({
        ...variant,
        metrics: { ...variant.metrics, speedup: speedup(variant.blocks, baseline?.blocks ?? []) },
        bound: boundBy(variant.metrics),
        finalLoss: lossAt(variant, common - 1),
      })),
      noiseFloor: null,
      roofline: peaks === null ? null : rooflineOf(peaks, variants),
    };
  }
}

/** The number of steps that every variant with losses has done. */
function commonSteps(variants: readonly VariantResult[]): number {
  const counts = variants.map(({ losses }) => losses.length).filter((count) => count > 0);
  return counts.length === 0 ? 0 : Math.min(...counts);
}

function lossAt(variant: VariantResult, step: number): VariantResult["finalLoss"] {
  const value = variant.losses[step];
  return value === undefined || value === null ? null : { step, value };
}

/** Where a run stands, as events. */
class Progress {
  readonly #report: (event: ProgressEvent) => void;
  readonly #total: number;
  #done = 0;

  constructor(report: (event: ProgressEvent) => void, total: number) {
    this.#report = report;
    this.#total = Math.max(1, total);
  }

  advance(steps: number): void {
    this.#done += steps;
  }

  at(variant: string | null, stage: ProgressEvent["stage"], step = 0, steps = 0, message?: string): void {
    const inBlock = stage === "measure" ? step : 0;
    const fraction = stage === "data" ? null : Math.min(1, (this.#done + inBlock) / this.#total);
    this.#report({ variant, stage, step, steps, fraction, ...(message === undefined ? {} : { message }) });
  }
}
