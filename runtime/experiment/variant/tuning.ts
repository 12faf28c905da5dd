import { compileTuned } from "../../compile/tuning.ts";
import type { CompiledVariant } from "../../compile/variant.ts";
import type { DatasetDescription } from "../../data/describe.ts";
import type { Device } from "../../device/device.ts";
import type { DeviceTraits } from "../../device/traits.ts";
import type { TuningOutcome } from "../../engine/autotune.ts";
import type { ResolvedVariant } from "../../scenario/resolve.ts";
import type { KeptTuning } from "../../store/keeper.ts";
import { type TuneHooks, Tuning } from "../../trainer/tuning.ts";

/** A variant's plan with the adapter's own kernels, and the one with those that were chosen by timing them. */
export class VariantTuning {
  /** The step before which the chosen kernels take over, a whole number of units; 0 where none are trained without. */
  readonly switchStep: number;
  readonly #variant: ResolvedVariant;
  readonly #dataset: DatasetDescription;
  readonly #defaults: CompiledVariant | null;
  #tuning: Tuning | null = null;
  #tuned: { readonly compiled: CompiledVariant; readonly outcome: TuningOutcome; readonly kept: KeptTuning } | null =
    null;

  /** @param defaults null without a model */
  constructor(
    variant: ResolvedVariant,
    dataset: DatasetDescription,
    defaults: CompiledVariant | null,
    switchStep: number,
  ) {
    this.#variant = variant;
    this.#dataset = dataset;
    this.#defaults = defaults;
    this.switchStep = switchStep;
  }

  /** The plan of the measured steps, as far as it is known; null without a model. */
  get measured(): CompiledVariant | null {
    return this.#tuned?.compiled ?? this.#defaults;
  }

  /** The plan of a step. */
  of(step: number): CompiledVariant | null {
    return step < this.switchStep ? this.#defaults : this.measured;
  }

  /** What tuning found; null before its end. */
  get outcome(): TuningOutcome | null {
    return this.#tuned?.outcome ?? null;
  }

  /** The choice, for the same variant in another sitting, or for its second copy. */
  get choice(): KeptTuning | null {
    return this.#tuned?.kept ?? null;
  }

  /** Takes a choice that was made before; nothing is timed then. */
  adopt(choice: KeptTuning, traits: DeviceTraits): void {
    const choices = new Map(Object.entries(choice.choices));
    const compiled = compileTuned(this.#variant.config, this.#dataset, traits, choices);
    this.#tuned = { compiled, outcome: choice.outcome, kept: choice };
  }

  /**
   * To be called before each unit of steps up to the switch: times some kernels, and at the switch all that are left.
   *
   * @throws {InterruptedError} when it was asked to stop
   */
  async before(step: number, unit: number, device: Device, hooks: TuneHooks): Promise<void> {
    const { config } = this.#variant;
    const { autotune } = config.compile;
    if (this.#defaults === null || autotune === null || this.#tuned !== null) return;
    const tuning = this.#tuning ??= new Tuning(config, this.#dataset, device, autotune, hooks);
    if (step < this.switchStep) return await tuning.before(step, unit);
    const { compiled, choices, outcome } = await tuning.finish();
    this.#tuned = { compiled, outcome, kept: { choices: Object.fromEntries(choices), outcome } };
  }

  /** Ends, maybe before its time; what was timed is kept for other runs. */
  async close(): Promise<void> {
    await this.#tuning?.close();
  }
}
