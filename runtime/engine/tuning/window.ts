import { compileTuned, type TunedChoices, tuningTasks } from "./tasks.ts";
import type { CompiledVariant } from "../../compile/variant.ts";
import { InterruptedError } from "../../core/errors.ts";
import type { DatasetDescription } from "../../data/describe.ts";
import type { Device } from "../../device/device.ts";
import { Tuner, type TuningOutcome } from "./tuner.ts";
import type { Config } from "../../scenario/config.ts";
import type { AutotuneConfig } from "../../scenario/schema.ts";

/** A tuned variant, and how it came about. */
export interface Tuned {
  readonly compiled: CompiledVariant;
  readonly choices: TunedChoices;
  readonly outcome: TuningOutcome;
}

export interface TuningHooks {
  shouldStop(): boolean;
  onProgress(done: number, all: number): void;
}

/** Times the kernels of a variant a few at a time over a window of steps, or all that are left at once. */
export class TuningWindow {
  readonly #config: Config;
  readonly #dataset: DatasetDescription;
  readonly #device: Device;
  readonly #window: AutotuneConfig;
  readonly #hooks: TuningHooks;
  #tuner: Tuner | null = null;
  /** Ops that were without times at first. */
  #all = 0;

  constructor(
    config: Config,
    dataset: DatasetDescription,
    device: Device,
    window: AutotuneConfig,
    hooks: TuningHooks,
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

  async #begin(): Promise<Tuner> {
    if (this.#tuner !== null) return this.#tuner;
    const tasks = tuningTasks(this.#config, this.#dataset, this.#device.traits);
    const { shouldStop } = this.#hooks;
    this.#tuner = await Tuner.create(this.#device, tasks, { config: this.#window, shouldStop });
    this.#all = this.#tuner.pending;
    return this.#tuner;
  }

  async #time(tuner: Tuner, count: number): Promise<void> {
    for (let i = 0; i < count && tuner.pending > 0; i++) {
      this.#hooks.onProgress(this.#all - tuner.pending, this.#all);
      if (!await tuner.advance(1)) throw new InterruptedError();
    }
  }
}
