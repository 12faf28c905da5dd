import { compileTuned, type TunedChoices, tuningTasks } from "./tasks.ts";
import type { CompiledVariant } from "../../compile/variant.ts";
import { InterruptedError } from "../../core/errors.ts";
import type { DatasetDescription } from "../../data/describe.ts";
import type { Device } from "../../device/device.ts";
import { Tuner, type TuningOutcome } from "./tuner.ts";
import type { Config } from "../../scenario/config.ts";
import type { AutotuneConfig } from "../../scenario/schema.ts";

/** A tuned variant and the result of its tuning. */
export interface Tuned {
  readonly compiled: CompiledVariant;
  readonly choices: TunedChoices;
  readonly outcome: TuningOutcome;
}

export interface TuningHooks {
  /** Writes new times to the cache folder. Default true. */
  readonly keep?: boolean;
  shouldStop(): boolean;
  onProgress(done: number, all: number): void;
}

/** Tunes the kernels of a variant over a window of steps, a few kernels before each step. */
export class TuningWindow {
  readonly #config: Config;
  readonly #dataset: DatasetDescription;
  readonly #device: Device;
  readonly #window: AutotuneConfig;
  readonly #hooks: TuningHooks;
  #tuner: Tuner | null = null;
  /** Number of ops to time. */
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
   * Times a share of the kernels if the step is in the window. Call it before each step, or before each `unit` of
   * steps.
   *
   * @throws {InterruptedError} if `shouldStop` returns true
   */
  async before(step: number, unit = 1): Promise<void> {
    const { start, stop } = this.#window;
    if (step < start || step >= stop) return;
    const tuner = await this.#begin();
    await this.#time(tuner, Math.ceil(tuner.pending / Math.ceil((stop - step) / unit)));
  }

  /**
   * Times the remaining kernels and compiles the variant with the best ones.
   *
   * @throws {InterruptedError} if `shouldStop` returns true
   */
  async finish(): Promise<Tuned> {
    const tuner = await this.#begin();
    await this.#time(tuner, tuner.pending);
    this.#tuner = null;
    const outcome = await tuner.finish();
    const choices = tuner.choices();
    return { compiled: compileTuned(this.#config, this.#dataset, this.#device.traits, choices), choices, outcome };
  }

  /** Ends tuning early. The times so far are saved for other runs. */
  async close(): Promise<void> {
    await this.#tuner?.finish();
    this.#tuner = null;
  }

  async #begin(): Promise<Tuner> {
    if (this.#tuner !== null) return this.#tuner;
    const tasks = tuningTasks(this.#config, this.#dataset, this.#device.traits);
    const { shouldStop, keep = true } = this.#hooks;
    this.#tuner = await Tuner.create(this.#device, tasks, { config: this.#window, shouldStop, keep });
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
