/**
 * The types of a script's scenario, and the scenario that the script registered.
 *
 * @module
 */
import type { z } from "zod";
import type { DataSpec } from "../data/sources/sources.ts";
import type { CommonOptions } from "../data/sources/types.ts";
import type { Tensor } from "../graph/op.ts";
import type { Layer, LayerMark } from "../nn/layer.ts";
import type { LossSpec } from "../nn/losses.ts";
import type { LossFunction } from "../nn/losses/custom.ts";
import type { OptimizerSpec } from "../nn/optimizers.ts";
import type { ScheduleSpec } from "../nn/schedules.ts";
import type { Composition } from "./compose.ts";
import type { ModelData } from "./model_data.ts";
import type { CommandSpec } from "./command.ts";
import type { ProgramSpec } from "./program.ts";
import type { SweepRule } from "./sweep_rules.ts";
import type { MeasureSettings, ScenarioSettings, VariantSettings } from "./setting_types.ts";

/** Zod types of a scenario's own parameters, by name. */
export type ParamTypes = Readonly<Record<string, z.ZodType>>;

/** Values of a scenario's parameters. */
export type ParamsOf<P extends ParamTypes> = { readonly [K in keyof P]: z.output<P[K]> };

/**
 * A model, or a function that returns one for the parameters and the data: `(_, { classes }) => mlp({ classes })`. Without
 * `params`, an unmarked function of one argument is the model itself.
 */
export type ModelValue<P extends ParamTypes> =
  | LayerMark
  | (keyof P extends never ? (x: Tensor, data: ModelData) => Tensor | Layer | LayerMark
    : (params: ParamsOf<P>, data: ModelData) => Layer | LayerMark);

/** A model whose parameters are read from a file. */
export interface ModelRecord<P extends ParamTypes> {
  /** The model; default: that of the scenario. */
  readonly layer?: ModelValue<P>;
  /** Safetensors file, or index of several, with the parameters to start from; null: initial values. */
  readonly weights?: string | null;
}

type Merged<T> = T extends unknown ? Partial<T> : never;

/** Fields of a source, with those of every source as they are written: `{ cache: "memory" }`. */
type MergedData<T> = T extends unknown ? Partial<Omit<T, keyof CommonOptions>> & CommonOptions : never;

/**
 * Settings of a variant. They are merged over the scenario's: records merge key by key, lists and all other values are
 * replaced.
 */
export interface VariantDefinition<P extends ParamTypes> extends VariantSettings {
  /** Values of the scenario's parameters. */
  readonly params?: Partial<ParamsOf<P>>;
  /**
   * Model, or a function that returns one for the parameters, or a record with its weights; null runs the loader alone.
   */
  readonly model?: ModelValue<P> | ModelRecord<P> | null;
  /** Loss to minimise: `crossEntropy()`, or a function of output and target that returns a scalar. */
  readonly loss?: Merged<LossSpec> | LossFunction | null;
  /** Update rule of the parameters, such as `sgd({ learningRate: 0.1 })`; null runs the forward pass only. */
  readonly optimizer?: Merged<OptimizerSpec> | null;
  /** Learning rate over the updates, such as `schedules.cosine({ steps: 1000 })`; null: constant. */
  readonly schedule?: Merged<ScheduleSpec> | null;
  /** Source of the samples, such as `cifar10()`, or a function that returns one for the parameters. */
  readonly data?: MergedData<DataSpec> | ((params: ParamsOf<P>) => DataSpec);
}

/** Values by key: a list, or a range such as `"16..256:x2"` or `"8..32:8"`. */
export type SweepValues = Readonly<Record<string, readonly unknown[] | string>>;

/**
 * Values by key, such as `{ amp: ["O0", "O2"], hidden: "16..256:x2" }`: every combination is a variant. Settings under `zip`
 * change together as one axis: `{ zip: { amp: ["O0", "O2"], sink: [0, 10] } }`. `exclude` leaves combinations out, and
 * `include` leaves out all others.
 */
export type SweepDefinition =
  & {
    readonly zip?: SweepValues | readonly SweepValues[];
    readonly include?: SweepRule | readonly SweepRule[];
    readonly exclude?: SweepRule | readonly SweepRule[];
  }
  & { readonly [path: string]: readonly unknown[] | string | SweepValues | SweepRule | readonly SweepRule[] };

/** Settings of a scenario for some adapters, which replace the scenario's own; variants are merged over them. */
export interface AdapterDefinition<P extends ParamTypes> extends Omit<VariantDefinition<P>, "model">, ScenarioSettings {
  /** Names of the variants to run on such an adapter. Default: all. */
  readonly variants?: readonly string[];
}

/** A scenario as written in a script: settings that apply to all variants, and the variants to compare. */
export interface ScenarioDefinition<P extends ParamTypes>
  extends Omit<VariantDefinition<P>, "params">, ScenarioSettings {
  /** Name in reports and stored runs: a letter, then letters, digits and - _ . = */
  readonly name: string;
  /** Zod types of parameters that the model and the data depend on and that the command line can set. */
  readonly params?: P;
  /** Loss to minimise: `crossEntropy()`, or a function of output and target that returns a scalar. */
  readonly loss?: LossSpec | LossFunction | null;
  /** Update rule of the parameters, such as `sgd({ learningRate: 0.1 })`; null runs the forward pass only. */
  readonly optimizer?: OptimizerSpec | null;
  /** Source of the samples, such as `cifar10()`, or a function that returns one for the parameters. */
  readonly data: DataSpec | ((params: ParamsOf<P>) => DataSpec);
  /** Name of the variant that the others are compared with. Default: the first. */
  readonly baseline?: string;
  /** Variants by name, or a list of variants; those without a `name` are named after their settings. */
  readonly variants?:
    | Readonly<Record<string, VariantDefinition<P> | Composition>>
    | readonly ((VariantDefinition<P> | Composition) & { readonly name?: string })[];
  /** Sweep over settings, instead of `variants`. */
  readonly sweep?: SweepDefinition;
  /** Programs and commands by name, to compare with the variants. */
  readonly programs?: Readonly<Record<string, ProgramSpec | CommandSpec>>;
  /**
   * Settings by adapter: under `software` for adapters that run kernels on the CPU, or under a part of the name or driver
   * of an adapter.
   */
  readonly adapters?: Readonly<Record<string, AdapterDefinition<P>>>;
}

/** A scenario that compares programs and commands only. */
export interface ProgramsDefinition {
  /** Name in reports and stored runs: a letter, then letters, digits and - _ . = */
  readonly name: string;
  /** Programs and commands by name. */
  readonly programs: Readonly<Record<string, ProgramSpec | CommandSpec>>;
  /** Name of the program that the others are compared with. Default: the first. */
  readonly baseline?: string;
  /** Warm-up, blocks and precision of the measurement. */
  readonly measure?: MeasureSettings;
  /** Seed of the order of the blocks. Default 1. */
  readonly seed?: number;
}

/** A scenario with any parameters. `resolveScenario` checks the values. */
export type Scenario =
  & { readonly [K in keyof ScenarioDefinition<ParamTypes>]?: unknown }
  & { readonly name: string; readonly params?: ParamTypes };

let registered: Scenario | null = null;

/** Scenarios by name; of those with the same name, the last one. */
const byName = new Map<string, Scenario>();

/**
 * Registers a scenario for `run()`, which uses the last one registered, and returns it. The settings are checked when the
 * scenario runs.
 *
 * @example
 * ```ts
 * import { crossEntropy, mlp, mnist, run, scenario, sgd } from "@tacho/tacho";
 *
 * export default scenario({
 *   name: "digits",
 *   model: mlp({ hidden: [128], classes: 10 }),
 *   loss: crossEntropy(),
 *   optimizer: sgd({ learningRate: 0.1, momentum: 0.9 }),
 *   data: mnist({ dir: "data/mnist" }),
 *   loader: { batchSize: 64 },
 *   variants: { baseline: {}, workers: { loader: { numWorkers: 2 } } },
 * });
 *
 * if (import.meta.main) await run();
 * ```
 */
export function scenario<P extends ParamTypes = Record<never, never>>(
  definition: ScenarioDefinition<NoInfer<P>> & { readonly params?: P },
): ScenarioDefinition<NoInfer<P>>;
/** Registers a scenario that compares programs only, and returns it. */
export function scenario(definition: ProgramsDefinition): ProgramsDefinition;
export function scenario(definition: Scenario): Scenario {
  registered = definition;
  byName.set(definition.name, definition);
  return definition;
}

/** Returns the registered scenario with a name, or null. */
export function scenarioNamed(name: string): Scenario | null {
  return byName.get(name) ?? null;
}

/** Returns the scenario that was registered last, or null. */
export function registeredScenario(): Scenario | null {
  return registered;
}
