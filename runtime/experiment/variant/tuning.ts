import { compileTuned } from "../../engine/tuning/tasks.ts";
import type { CompiledVariant } from "../../compile/variant.ts";
import type { DatasetDescription } from "../../data/describe.ts";
import type { Device } from "../../device/device.ts";
import { DEFAULT_TRAITS } from "../../device/traits.ts";
import type { TuningOutcome } from "../../engine/tuning/tuner.ts";
import type { ResolvedVariant } from "../../scenario/resolve.ts";
import type { KeptTuning } from "../../store/run_recorder.ts";
import { type TuningHooks, TuningWindow } from "../../engine/tuning/window.ts";
import type { ArmTuning } from "../arm.ts";

/** Variant whose kernels are tuned. */
export interface TunedVariant {
  readonly variant: ResolvedVariant;
  readonly dataset: DatasetDescription;
  /** Plan with default kernels; null without a model, like the device. */
  readonly defaults: CompiledVariant | null;
  readonly device: Device | null;
  readonly switchStep: number;
  /** Writes new times to the cache folder. */
  readonly keep: boolean;
}

/** Plans of a variant with default kernels and with kernels chosen by timing. */
export class VariantTuning implements ArmTuning {
  readonly #variant: TunedVariant;
  readonly #hooks: { replan(compiled: CompiledVariant): Promise<void> };
  #tuning: TuningWindow | null = null;
  #tuned: { readonly compiled: CompiledVariant; readonly outcome: TuningOutcome; readonly kept: KeptTuning } | null =
    null;

  /** @param hooks `replan` switches the running variant to another plan */
  constructor(variant: TunedVariant, hooks: { replan(compiled: CompiledVariant): Promise<void> }) {
    this.#variant = variant;
    this.#hooks = hooks;
  }

  get switchStep(): number {
    return this.#variant.switchStep;
  }

  /** Plan of the measured steps, with default kernels until others are chosen; null without a model. */
  get measured(): CompiledVariant | null {
    return this.#tuned?.compiled ?? this.#variant.defaults;
  }

  /** Returns the plan of a step; null without a model. */
  of(step: number): CompiledVariant | null {
    return step < this.switchStep ? this.#variant.defaults : this.measured;
  }

  /** Outcome of tuning; null before its end. */
  get outcome(): TuningOutcome | null {
    return this.#tuned?.outcome ?? null;
  }

  get choice(): KeptTuning | null {
    return this.#tuned?.kept ?? null;
  }

  adopt(choice: KeptTuning): void {
    const { variant: { config }, dataset, device } = this.#variant;
    const choices = new Map(Object.entries(choice.choices));
    const names = new Map(choice.outcome.ops.flatMap(({ nodes, chosen }) => nodes.map((node) => [node, chosen])));
    const missing = new Set<string>();
    const traits = device?.traits ?? DEFAULT_TRAITS;
    const compiled = compileTuned(config, dataset, traits, choices, names, (op) => void missing.add(op));
    const warnings = missing.size === 0 ? [] : [
      `The kept choices name kernels that this version of Tacho does not have (for ${
        [...missing].join(", ")
      }); these ops ` +
      "use their default kernels",
    ];
    const outcome = { ...choice.outcome, warnings: [...choice.outcome.warnings, ...warnings] };
    this.#tuned = { compiled, outcome, kept: choice };
  }

  async before(step: number, unit: number, hooks: TuningHooks): Promise<void> {
    const { variant: { config }, dataset, device, keep } = this.#variant;
    const { autotune } = config.compile;
    if (device === null || autotune === null || this.#tuned !== null) return;
    const tuning = this.#tuning ??= new TuningWindow(config, dataset, device, autotune, { ...hooks, keep });
    if (step < this.switchStep) return await tuning.before(step, unit);
    const { compiled, choices, outcome } = await tuning.finish();
    this.#tuned = { compiled, outcome, kept: { choices: Object.fromEntries(choices), outcome } };
  }

  async switchPlan(): Promise<void> {
    await this.#hooks.replan(this.measured!);
    await this.#variant.device!.settle();
  }

  /** Ends tuning, perhaps early, and keeps the times for other runs. */
  async close(): Promise<void> {
    await this.#tuning?.close();
  }
}
