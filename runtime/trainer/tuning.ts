import { compileTuned, tuningTasks } from "../compile/tuning.ts";
import type { CompiledVariant } from "../compile/variant.ts";
import type { DatasetDescription } from "../data/describe.ts";
import type { Device } from "../device/device.ts";
import { Autotuner, type TuningOutcome } from "../engine/autotune.ts";
import type { Config } from "../scenario/config.ts";
import type { AutotuneConfig } from "../scenario/schema.ts";

/** A tuned variant, and how it came about. */
export interface Tuned {
  readonly compiled: CompiledVariant;
  readonly outcome: TuningOutcome;
}

export interface TuneHooks {
  shouldStop(): boolean;
  onProgress(done: number, all: number): void;
}

/**
 * Times all kernels of a variant at once, before its first step; what an experiment does, so that all losses are those of
 * one plan. Null when it was asked to stop.
 */
export async function tuneVariant(
  config: Config,
  dataset: DatasetDescription,
  device: Device,
  tuning: AutotuneConfig,
  hooks: TuneHooks,
): Promise<Tuned | null> {
  const tuner = await Autotuner.create(device, tuningTasks(config, dataset, device.traits), {
    config: tuning,
    shouldStop: hooks.shouldStop,
  });
  const all = tuner.pending;
  let going = !hooks.shouldStop();
  while (going && tuner.pending > 0) {
    hooks.onProgress(all - tuner.pending, all);
    going = await tuner.advance(1);
  }
  const outcome = await tuner.finish();
  return going ? { compiled: compileTuned(config, dataset, device.traits, tuner.choices()), outcome } : null;
}

/** Times the kernels of a trainer's variant a few at a time, over a window of steps. */
export class TrainerTuning {
  readonly #config: Config;
  readonly #dataset: DatasetDescription;
  readonly #device: Device;
  readonly #window: AutotuneConfig;
  #tuner: Autotuner | null;
  #outcome: TuningOutcome | null = null;

  private constructor(
    config: Config,
    dataset: DatasetDescription,
    device: Device,
    window: AutotuneConfig,
    tuner: Autotuner,
  ) {
    this.#config = config;
    this.#dataset = dataset;
    this.#device = device;
    this.#window = window;
    this.#tuner = tuner;
  }

  static async create(
    config: Config,
    dataset: DatasetDescription,
    device: Device,
    window: AutotuneConfig,
  ): Promise<TrainerTuning> {
    const tasks = tuningTasks(config, dataset, device.traits);
    const tuner = await Autotuner.create(device, tasks, { config: window, shouldStop: () => false });
    return new TrainerTuning(config, dataset, device, window, tuner);
  }

  get outcome(): TuningOutcome | null {
    return this.#outcome;
  }

  /** To be called before each step; returns the tuned variant once, behind the window or when nothing is left to time. */
  async before(step: number): Promise<CompiledVariant | null> {
    const tuner = this.#tuner;
    if (tuner === null || step < this.#window.start) return null;
    const steps = Math.max(1, this.#window.stop - step);
    if (step < this.#window.stop) await tuner.advance(Math.ceil(tuner.pending / steps));
    if (step < this.#window.stop && tuner.pending > 0) return null;
    this.#tuner = null;
    this.#outcome = await tuner.finish();
    return compileTuned(this.#config, this.#dataset, this.#device.traits, tuner.choices());
  }

  free(): void {
    this.#tuner?.free();
  }
}
