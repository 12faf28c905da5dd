import { compileTuned, type TunedChoices, tuningTasks } from "../compile/tuning.ts";
import type { CompiledVariant } from "../compile/variant.ts";
import { InterruptedError } from "../core/errors.ts";
import type { DatasetDescription } from "../data/describe.ts";
import type { Device } from "../device/device.ts";
import { Autotuner, type TuningOutcome } from "../engine/autotune.ts";
import type { Config } from "../scenario/config.ts";
import type { AutotuneConfig } from "../scenario/schema.ts";

/** A tuned variant, and how it came about. */
export interface Tuned {
  readonly compiled: CompiledVariant;
  readonly choices: TunedChoices;
  readonly outcome: TuningOutcome;
}

export interface TuneHooks {
  shouldStop(): boolean;
  onProgress(done: number, all: number): void;
}

/** Times the kernels of a variant a few at a time over a window of steps, or all that are left at once. */
export class Tuning {
  readonly #config: Config;
  readonly #dataset: DatasetDescription;
  readonly #device: Device;
  readonly #window: AutotuneConfig;
  readonly #hooks: TuneHooks;
  #tuner: Autotuner | null = null;
  /** Ops that were without times at first. */
  #all = 0;

  constructor(
    config: Config,
    dataset: DatasetDescription,
    device: Device,
    window: AutotuneConfig,
    hooks: TuneHooks,
  ) {
    this.#config = config;
    this.#dataset = dataset;
    this.#device = device;
    this.#window = window;
    this.#hooks = hooks;
  }

  /**
   * To be called before each step, or before each `unit` of steps: times its share of the kernels where the step is in
   * the window.
   *
   * @throws {InterruptedError} when it was asked to stop
   */
  async before(step: number, unit = 1): Promise<void> {
    const { start, stop } = this.#window;
    if (step < start || step >= stop) return;
    const tuner = await this.#begin();
    await this.#time(tuner, Math.ceil(tuner.pending / Math.ceil((stop - step) / unit)));
  }

  /**
   * Times what is left, and plans the variant with the best.
   *
   * @throws {InterruptedError} when it was asked to stop
   */
  async finish(): Promise<Tuned> {
    const tuner = await this.#begin();
    await this.#time(tuner, tuner.pending);
    this.#tuner = null;
    const outcome = await tuner.finish();
    const choices = tuner.choices();
    return { compiled: compileTuned(this.#config, this.#dataset, this.#device.traits, choices), choices, outcome };
  }

  /** Ends before its time; what was timed is kept for other runs. */
  async close(): Promise<void> {
    await this.#tuner?.finish();
    this.#tuner = null;
  }

  async #begin(): Promise<Autotuner> {
    if (this.#tuner !== null) return this.#tuner;
    const tasks = tuningTasks(this.#config, this.#dataset, this.#device.traits);
    const { shouldStop } = this.#hooks;
    this.#tuner = await Autotuner.create(this.#device, tasks, { config: this.#window, shouldStop });
    this.#all = this.#tuner.pending;
    return this.#tuner;
  }

  async #time(tuner: Autotuner, count: number): Promise<void> {
    for (let i = 0; i < count && tuner.pending > 0; i++) {
      this.#hooks.onProgress(this.#all - tuner.pending, this.#all);
      if (!await tuner.advance(1)) throw new InterruptedError();
    }
  }
}
