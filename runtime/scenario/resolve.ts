import { InputError } from "../core/errors.ts";
import { knownNames, suggestion } from "../core/nearest.ts";
import type { ProfileRequest } from "../record/schedule.ts";
import { clipped, shownLines } from "../core/shown.ts";
import type { Adapted, AdapterLayer } from "./adapters.ts";
import { changedSettings, checkAdapters, layersFor } from "./check_adapters.ts";
import { checkConfig, checkParams, checkRun, type SharedChecks, type WrittenSettings } from "./check_config.ts";
import type { Config } from "./config.ts";
import type { Scenario } from "./definition.ts";
import { documentKeys } from "./document.ts";
import { ModelBuilder } from "./model.ts";
import { type Alias, withoutDuplicates } from "./duplicates.ts";
import type { Statistic } from "../core/percentile.ts";
import { mergeAll, type Plain } from "./merge.ts";
import { type Override, parseOverride } from "./override.ts";
import { excludeVariants, pickVariants } from "./pick_variants.ts";
import { type AxisValues, type PlannedVariant, planVariants, qualified } from "./plan_variants.ts";
import { formatProblem } from "./problems.ts";
import type { ResolvedProgram } from "./program.ts";
import type { MeasureConfig, TargetConfig } from "./schema.ts";
import { type Structure, takeApart } from "./structure.ts";

/** Settings from outside the script. */
export interface ResolveOptions {
  /** `key=value` or `key=value,value`; see {@linkcode parseOverride}. Later ones win; `baseline=name` sets the baseline. */
  readonly overrides?: readonly string[] | undefined;
  /** Names of the variants to keep, or patterns such as `b8-*`, which keep the baseline; all when left out. */
  readonly variants?: readonly string[] | undefined;
  /** Names or patterns of variants to leave out; patterns keep the baseline. */
  readonly exclude?: readonly string[] | undefined;
  /** Keys of `measure`. These and the fields below win over `overrides`. */
  readonly steps?: number | undefined;
  readonly skip?: number | undefined;
  readonly rounds?: number | undefined;
  readonly precision?: number | undefined;
  readonly maxTime?: number | undefined;
  readonly minEffect?: number | undefined;
  /** `measure.statistic`. */
  readonly measure?: Statistic | undefined;
  readonly aa?: boolean | undefined;
  readonly seed?: number | undefined;
  readonly bottleneck?: boolean | undefined;
  /** `data.dir`, or `data.file` of a source that reads one file. */
  readonly dataDir?: string | undefined;
  /** Keys of the scenario's `adapters` that apply; none when left out. */
  readonly adapters?: readonly string[] | undefined;
}

/** A variant that is ready to run. */
export interface ResolvedVariant {
  readonly name: string;
  readonly config: Config;
  /** The model as written in the script: a layer, a function that returns one, or nothing. */
  readonly model: unknown;
  /** Value on each axis of a sweep, by setting; empty without a sweep. */
  readonly settings: Readonly<Record<string, string>>;
  /** Value of each swept setting; those that change together are listed separately. */
  readonly axes: AxisValues;
}

/** A scenario that is ready to run. */
export interface ResolvedScenario {
  readonly name: string;
  /** Parameters before variants change them. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly seed: number;
  /** Trainings of each variant after the measured steps, with consecutive seeds. */
  readonly seeds: number | null;
  readonly measure: MeasureConfig;
  /** Epochs to train for, instead of `measure.steps`. */
  readonly epochs: number | null;
  /** Loss or accuracy that every variant is trained to after the measured steps. */
  readonly target: TargetConfig | null;
  /** Steps to profile. */
  readonly profile: ProfileRequest | null;
  /** Run each variant again without parts of its step. */
  readonly bottleneck: boolean;
  /** Limit in bytes for all variants together. */
  readonly memoryBudget: number | null;
  /** Name of the variant that the others are compared with. */
  readonly baseline: string;
  /** In the scenario's order; at least one unless there are programs. */
  readonly variants: readonly ResolvedVariant[];
  /** Programs that are compared with the variants. */
  readonly programs: readonly ResolvedProgram[];
  /** Variants left out because they equal another one. */
  readonly aliases: readonly Alias[];
  /** Effect of the adapter on the settings; null for a scenario without `adapters`. */
  readonly adapted: Adapted | null;
}

/**
 * Checks a scenario and fills in the defaults of each chosen variant. Opens no device and reads no data. The settings of
 * variants that are not chosen are not checked.
 *
 * @throws {InputError} listing every problem with its path, the value and what was expected
 */
export function resolveScenario(definition: Scenario, options: ResolveOptions = {}): ResolvedScenario {
  const structure = takeApart(definition);
  const given = layersFor(structure, options.adapters ?? []);
  const layers = given.map(({ settings }) => settings);
  const { overrides, baseline } = collectOverrides(structure, layers, options);
  const planned = planVariants(structure, overrides);
  let documented: readonly string[] | null = null;
  const paths = () => documented ??= documentKeys(definition).map(({ path }) => path);
  const shared: SharedChecks = { paths, models: new ModelBuilder() };
  checkAdapters(structure, planVariants(structure, []).map(({ name }) => name), shared);
  checkNames(planned, structure.programs);
  const wanted = options.variants === undefined ? variantsFor(given, planned) : null;
  const there = wanted === null ? planned : planned.filter(({ name }) => wanted.includes(name) || name === baseline);
  const all = [...planned, ...structure.programs];
  const baselineAmong = (among: readonly Named[]) => baselineOf(structure, baseline, among, all);
  const picked = pick([...there, ...structure.programs], options, baselineAmong);
  if (picked.length === 0) throw new InputError("variants: expected at least one name, got none");
  const named = baselineAmong(picked);
  const chosen = there.filter((variant) => picked.includes(variant));
  // Programs alone run with the scenario's settings, which are checked as those of a variant
  const checked = checkAll(structure, layers, chosen.length > 0 ? chosen : planned.slice(0, 1), shared);
  const { variants, aliases } = withoutDuplicates(chosen.length > 0 ? checked : []);
  const { seed, seeds, measure, epochs, target, profile, bottleneck, memoryBudget } = checked[0]?.config ??
    checkRun([structure.base, ...layers], overrides, paths);
  const reference = checked.find(({ name }) => name === named) ?? checked[0];
  return {
    name: structure.name,
    params: baseParams(structure, layers, overrides) ?? checked[0]?.config.params ?? {},
    seed,
    seeds,
    measure,
    epochs,
    target,
    profile,
    bottleneck,
    memoryBudget,
    baseline: aliases.find(({ name }) => name === named)?.of ?? named,
    variants,
    programs: structure.programs.filter((program) => picked.includes(program)),
    aliases,
    adapted: Object.keys(structure.adapters).length === 0 ? null : {
      adapters: (options.adapters ?? []).filter((key) => Object.hasOwn(structure.adapters, key)),
      changes: given.length === 0 || reference === undefined
        ? []
        : changedSettings(structure, written(planned, reference), reference.config, shared),
      omitted: planned.filter((one) => !there.includes(one)).map(({ name }) => name),
    },
  };
}

interface Named {
  readonly name: string;
}

/** Returns the settings of a variant as the script and the command line give them. */
function written(planned: readonly PlannedVariant[], { name }: Named): WrittenSettings {
  const { layers, assignments } = planned.find((variant) => variant.name === name)!;
  return { layers: layers(), assignments };
}

/** Returns the variants and programs that the options keep. */
function pick(
  all: readonly Named[],
  { variants, exclude }: ResolveOptions,
  baselineAmong: (variants: readonly Named[]) => string,
): readonly Named[] {
  const kept = variants === undefined ? all : pickVariants(all, variants, baselineAmong(all));
  return exclude === undefined || kept.length === 0 ? kept : excludeVariants(kept, exclude, baselineAmong(kept));
}

/** Returns the names of the variants to run on an adapter; null for all, and for a sweep with its own variants. */
function variantsFor(given: readonly AdapterLayer[], all: readonly Named[]): readonly string[] | null {
  const wanted = given.findLast(({ variants }) => variants !== null)?.variants ?? null;
  return wanted?.every((name) => all.some((variant) => variant.name === name)) ? wanted : null;
}

/** Collects the overrides by full path, the last one of each, and the name of the baseline. */
function collectOverrides(structure: Structure, layers: readonly Plain[], options: ResolveOptions) {
  const byPath = new Map<string, Override>();
  let baseline: string | null = null;
  const put = (keys: readonly string[], values: Override["values"]) => {
    const path = keys.join(".");
    byPath.delete(path);
    byPath.set(path, { keys, values });
  };
  const set = (path: string, value: unknown) => put(path.split("."), [{ value, text: String(value) }]);
  for (const text of options.overrides ?? []) {
    const { keys, values } = parseOverride(text);
    if (keys.join() === "baseline") baseline = values.map(({ text }) => text).join(",");
    else put(qualified(keys, structure), values);
  }
  for (const key of ["steps", "skip", "rounds", "precision", "maxTime", "minEffect", "aa"] as const) {
    if (options[key] !== undefined) set(`measure.${key}`, options[key]);
  }
  if (options.measure !== undefined) set("measure.statistic", options.measure);
  if (options.seed !== undefined) set("seed", options.seed);
  if (options.bottleneck !== undefined) set("bottleneck", options.bottleneck);
  if (options.dataDir !== undefined) set(isOneFile(structure.base["data"]) ? "data.file" : "data.dir", options.dataDir);
  checkLength(mergeAll([structure.base, ...layers]), byPath);
  // A number of steps from outside replaces the script's epochs
  if (byPath.has("measure.steps") && !byPath.has("epochs")) set("epochs", null);
  return { overrides: [...byPath.values()], baseline };
}

/** Returns true for data that a source reads from one file, such as a text. */
function isOneFile(data: unknown): boolean {
  return typeof data === "object" && data !== null && "file" in data && !("dir" in data);
}

function checkLength({ epochs, measure }: Plain, overridden: ReadonlyMap<string, unknown>): void {
  const steps = (measure as { steps?: unknown } | undefined)?.steps;
  if (epochs == null || steps === undefined || overridden.has("epochs") || overridden.has("measure.steps")) return;
  throw new InputError("epochs: replaces measure.steps; give only one of them");
}

/** Checks variants. Reports a problem of the scenario itself once, and others with the name of the variant. */
function checkAll(
  structure: Structure,
  layers: readonly Plain[],
  planned: readonly PlannedVariant[],
  shared: SharedChecks,
): ResolvedVariant[] {
  const variants: ResolvedVariant[] = [];
  const problems: { name: string; text: string }[] = [];
  for (const variant of planned) {
    const { name, settings, axes } = variant;
    const checked = checkConfig(structure, { ...variant, layers: [...layers, ...variant.layers()] }, shared);
    if ("value" in checked) variants.push({ name, settings, axes, ...checked.value });
    else problems.push(...checked.problems.map((problem) => ({ name, text: formatProblem(problem) })));
  }
  if (problems.length === 0) return variants;
  const common = planned[0]!.assignments.filter((one) => planned.every(({ assignments }) => assignments.includes(one)));
  const own = checkConfig(structure, { layers, assignments: common }, shared);
  const known = new Set("problems" in own ? own.problems.map(formatProblem) : []);
  // A problem of every variant is one of the scenario, such as a misspelt axis of a sweep
  for (const { text } of problems) {
    const names = new Set(problems.filter((other) => other.text === text).map(({ name }) => name));
    if (planned.length > 1 && names.size === planned.length) known.add(text);
  }
  const lines = problems.map(({ name, text }) => known.has(text) ? text : `variant "${clipped(name)}": ${text}`);
  throw new InputError(shownLines([...new Set(lines)]));
}

function baseParams(structure: Structure, layers: readonly Plain[], overrides: readonly Override[]) {
  const assignments = overrides.filter(({ values }) => values.length === 1)
    .map(({ keys, values }) => ({ keys, ...values[0]! }));
  const checked = checkParams(structure.params, { layers, assignments });
  return "value" in checked ? checked.value : null;
}

/** Refuses a program with the name of a variant that a sweep or the scenario's own settings make. */
function checkNames(variants: readonly Named[], programs: readonly Named[]): void {
  const same = programs.find(({ name }) => variants.some((variant) => variant.name === name));
  if (same === undefined) return;
  throw new InputError(`programs.${clipped(same.name)}: is the name of a variant, too; choose another name`);
}

/**
 * Returns the name of the baseline: the first variant if the scenario's baseline does not run.
 *
 * @param wanted name from outside the script
 * @param all variants and programs; only `variants` run
 */
function baselineOf(
  structure: Structure,
  wanted: string | null,
  variants: readonly Named[],
  all: readonly Named[],
): string {
  const names = variants.map(({ name }) => name);
  if (wanted !== null) {
    if (names.includes(wanted)) return wanted;
    const problem = all.some(({ name }) => name === wanted)
      ? `expected a variant that runs, got "${clipped(wanted)}"${knownNames(names)}`
      : `unknown variant "${clipped(wanted)}"${suggestion(wanted, names)}`;
    throw new InputError(`baseline: ${problem}`);
  }
  const { baseline } = structure;
  if (baseline !== null && names.includes(baseline)) return baseline;
  const written = [...planVariants(structure, []), ...structure.programs].map(({ name }) => name);
  if (baseline !== null && !written.includes(baseline)) {
    throw new InputError(`baseline: unknown variant "${clipped(baseline)}"${suggestion(baseline, written)}`);
  }
  return names[0]!;
}
