/**
 * What a script writes down, as types, and the scenario that the script has registered.
 *
 * @module
 */
import type { z } from "zod";
import type { DataSpec } from "../data/sources/sources.ts";
import type { Timing } from "../record/timing.ts";
import type { Tensor } from "../graph/op.ts";
import type { Layer, LayerMark } from "../nn/layer.ts";
import type { LossSpec } from "../nn/losses.ts";
import type { OptimizerSpec } from "../nn/optimizers.ts";
import type { Composition } from "./compose.ts";
import type { SweepAxis } from "./sweep.ts";
import type { AmpLevel } from "./amp_levels.ts";
import type { ampSchema, compileSchema, loaderSchema, measureSchema, profileSchema, targetSchema } from "./schema.ts";

/** Types of a scenario's own parameters, by name. */
export type ParamTypes = Readonly<Record<string, z.ZodType>>;

/** Values of parameters. */
export type ParamsOf<P extends ParamTypes> = { readonly [K in keyof P]: z.output<P[K]> };

/**
 * A model, or a function that makes one from the parameters. Without `params` an unmarked function of one argument is
 * the model itself.
 */
export type ModelValue<P extends ParamTypes> =
  | LayerMark
  | (keyof P extends never ? (x: Tensor) => Tensor | Layer : (params: ParamsOf<P>) => Layer);

type Merged<T> = T extends unknown ? Partial<T> : never;

/** `autotune: true` tunes over the usual window of steps. */
type CompileDefinition =
  & Omit<z.input<typeof compileSchema>, "autotune">
  & { readonly autotune?: boolean | z.input<typeof compileSchema>["autotune"] };

/** What a variant can set; the rest is the scenario's. Records are merged, lists and everything else replaced. */
export interface VariantDefinition<P extends ParamTypes> {
  readonly params?: Partial<ParamsOf<P>>;
  readonly model?: ModelValue<P> | null;
  readonly loss?: Merged<LossSpec> | null;
  readonly optimizer?: Merged<OptimizerSpec> | null;
  readonly data?: Merged<DataSpec> | ((params: ParamsOf<P>) => DataSpec);
  readonly loader?: z.input<typeof loaderSchema>;
  /** `true` stands for `"O2"`, `false` for `"O0"`. */
  readonly amp?: boolean | AmpLevel | z.input<typeof ampSchema>;
  /** Steps handed over at once; `true` stands for 10. */
  readonly sink?: number | boolean | "epoch";
  readonly compile?: CompileDefinition;
  readonly mode?: "train" | "infer";
  readonly monitor?: "block" | "step";
  /** How the `step` column is timed: around the submit, with a wait, or by the device without one. */
  readonly timing?: Timing | null;
  readonly evaluate?: { readonly every: number } | null;
}

/**
 * Values by key, such as `{ amp: ["O0", "O2"], "loader.numWorkers": [0, 2] }`: every combination is a variant. Settings
 * under `zip` change together, so they make one axis: `{ zip: { amp: ["O0", "O2"], sink: [0, 10] } }`.
 */
export type SweepDefinition =
  & { readonly zip?: SweepAxis | readonly SweepAxis[] }
  & { readonly [path: string]: readonly unknown[] | SweepAxis | readonly SweepAxis[] };

/** A scenario as a script writes it. `--help` says what each key is and what it starts from. */
export interface ScenarioDefinition<P extends ParamTypes> extends Omit<VariantDefinition<P>, "params"> {
  readonly name: string;
  /** Types of the parameters, which the model and the data may depend on and the command line can set. */
  readonly params?: P;
  readonly loss?: LossSpec | null;
  readonly optimizer?: OptimizerSpec | null;
  readonly data: DataSpec | ((params: ParamsOf<P>) => DataSpec);
  readonly measure?: z.input<typeof measureSchema>;
  /** Train for whole epochs, in place of `measure.steps`. */
  readonly epochs?: number | null;
  readonly seed?: number;
  /** A loss or an accuracy that every variant is trained to after the measured steps: `{ accuracy: 0.9 }`. */
  readonly target?: z.input<typeof targetSchema> | null;
  /** Steps to profile after the measured ones: op times, host spans, a trace. */
  readonly profile?: z.input<typeof profileSchema> | null;
  /** Run each variant again with parts of its step taken away, to see what bounds it. */
  readonly bottleneck?: boolean;
  /** Bytes, or a text such as `"4GiB"`. */
  readonly memoryBudget?: number | string | null;
  /** The variant that others are compared with; the first when left out. */
  readonly baseline?: string;
  /** By name; or a list, whose items can have a `name` and are otherwise called by what they set. */
  readonly variants?:
    | Readonly<Record<string, VariantDefinition<P> | Composition>>
    | readonly ((VariantDefinition<P> | Composition) & { readonly name?: string })[];
  /** In place of `variants`. */
  readonly sweep?: SweepDefinition;
}

/** A scenario of whatever parameters: the keys of one, whose values `resolveScenario` checks. */
export type Scenario =
  & { readonly [K in keyof ScenarioDefinition<ParamTypes>]?: unknown }
  & { readonly name: string; readonly params?: ParamTypes };

let registered: Scenario | null = null;

/**
 * Says what the script is about, and returns it. `run()` takes the scenario that was registered last. What it holds is
 * checked when it is resolved.
 */
export function scenario<P extends ParamTypes = Record<never, never>>(
  definition: ScenarioDefinition<NoInfer<P>> & { readonly params?: P },
): ScenarioDefinition<NoInfer<P>> {
  registered = definition;
  return definition;
}

/** The scenario that was registered last, or `null`. */
export function registeredScenario(): Scenario | null {
  return registered;
}
