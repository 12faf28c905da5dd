/**
 * Turns the settings written for a variant into its checked configuration.
 *
 * @module
 */
import { suggestion } from "../core/nearest.ts";
import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import { fewestSteps } from "../core/percentile.ts";
import { read, readable } from "../core/readable.ts";
import { clipped, reasonOf, shownLines } from "../core/shown.ts";
import { INTERPRETED } from "../data/checked.ts";
import type { Config } from "./config.ts";
import type { ParamTypes } from "./definition.ts";
import { isPlain, mergeAll, nest, type Plain } from "./merge.ts";
import type { ModelBuilder } from "./model.ts";
import type { Assignment } from "./plan_variants.ts";
import type { Override } from "./override.ts";
import { formatProblem, type Problem, problemsOf, suggestKey } from "./problems.ts";
import { configSchema, runSchema } from "./schema.ts";
import { expandShorthand } from "./shorthand.ts";
import { SCENARIO_KEYS, type Structure } from "./structure.ts";

const KEYS = ["layer", "weights"];

export type Checked<T> = { readonly value: T } | { readonly problems: readonly Problem[] };

/** Settings written for a variant: layers in the order in which they are merged, and single ones on top of them. */
export interface WrittenSettings {
  readonly layers: readonly Plain[];
  readonly assignments: readonly Assignment[];
}

/** Settings' paths and built models, which the checks of all variants of a scenario share. */
export interface SharedChecks {
  /** Returns the dotted paths of all settings, for suggestions. */
  paths(): readonly string[];
  readonly models: ModelBuilder;
}

/** Returns the configuration of a variant, or every problem with it. */
export function checkConfig(
  structure: Structure,
  variant: WrittenSettings,
  { paths, models }: SharedChecks,
): Checked<{ readonly config: Config; readonly model: unknown }> {
  const misplaced = misplacedAssignments(structure, variant.assignments, paths);
  if (misplaced.length > 0) return { problems: misplaced };
  const params = checkParams(structure.params, variant);
  if ("problems" in params) return params;
  try {
    const layers = [structure.base, ...variant.layers.map(withoutParams)].map(splitModel);
    const expanded = layers.map((layer) => expandShorthand(withData(layer, params.value)));
    const settings = checkSettings(expanded, variant.assignments.filter(({ keys }) => keys[0] !== "params"), paths);
    if ("problems" in settings) return settings;
    const written = layers.findLast((layer) => layer["model"] !== undefined)?.["model"];
    const model = models.build(written, params.value, settings.value.data);
    const config: Config = { ...settings.value, params: params.value, model };
    const problems = contradictions(config);
    if (problems.length > 0) return { problems };
    return { value: { config: config.mode === "infer" ? { ...config, optimizer: null } : config, model: written } };
  } catch (error) {
    if (!isInstance(error, InputError)) throw error;
    const [, path = "scenario", message = error.message] = error.message.match(/^(model|data): ([^]*)$/) ?? [];
    return { problems: [{ path: [path], message }] };
  }
}

function withoutParams({ params: _, ...settings }: Plain): Plain {
  return settings;
}

/** Creates the data set of a layer whose `data` is a function of the parameters. */
function withData(layer: Plain, params: Plain): Plain {
  if (typeof layer["data"] !== "function") return layer;
  try {
    const data = (layer["data"] as (params: Plain) => unknown)(params);
    return { ...layer, data: readable(data, "data") };
  } catch (error) {
    throw new InputError(`data: ${reasonOf(error)}`, { cause: error });
  }
}

/** Parses the parameters by their types. */
export function checkParams(
  types: ParamTypes,
  { layers, assignments }: WrittenSettings,
): Checked<Plain> {
  const given = layers.map(({ params }) => ({ params }));
  const own = assignments.filter(({ keys }) => keys[0] === "params");
  const schema = z.strictObject({ params: z.strictObject(types).prefault({}) });
  const checked = parseAssigned(schema, given, own, () => Object.keys(types).map((name) => `params.${name}`));
  return "problems" in checked ? checked : { value: checked.value.params };
}

/**
 * Returns the settings of a scenario of programs only, which has no settings of variants.
 *
 * @throws {InputError} listing every problem
 */
export function checkRun(
  layers: readonly Plain[],
  overrides: readonly Override[],
  paths: () => readonly string[],
): z.output<typeof runSchema> {
  const problems = overrides.flatMap(({ keys, values }): Problem[] => {
    if (!Object.hasOwn(runSchema.shape, keys[0]!)) {
      const known = Object.hasOwn(configSchema.shape, keys[0]!);
      const message = known
        ? "has no effect on programs; change their commands in the script"
        : `unknown key${suggestKey(keys, Object.keys(runSchema.shape), paths)}`;
      return [{ path: keys, message }];
    }
    return values.length > 1
      ? [{ path: keys, message: "applies to the whole scenario; give one value, not a list" }]
      : [];
  });
  if (problems.length === 0) {
    const assignments = overrides.map(({ keys, values }) => ({ keys, ...values[0]! }));
    const checked = parseAssigned(runSchema, layers.map(expandShorthand), assignments, paths);
    if ("value" in checked) {
      const wrong = RUN_OF_VARIANTS.filter((key) => checked.value[key] !== null);
      problems.push(...processesProblems(checked.value), ...statisticProblems(checked.value));
      if (wrong.length === 0 && problems.length === 0) return checked.value;
      problems.push(
        ...wrong.map((key) => ({ path: [key], message: "needs a variant; this scenario has programs only" })),
      );
    } else problems.push(...checked.problems);
  }
  throw new InputError(shownLines(problems.map(formatProblem)));
}

/** Settings that may contradict `measure.processes`; programs have no `distribute`. */
type RunConfig = Pick<Config, "measure" | "epochs"> & { readonly distribute?: Config["distribute"] };

/** Settings of a run that only variants can have. */
const RUN_OF_VARIANTS = ["epochs", "seeds", "target", "memoryBudget"] as const;

function checkSettings(layers: readonly Plain[], assignments: readonly Assignment[], paths: () => readonly string[]) {
  const settings = layers.map(({ model: _, ...rest }) => rest);
  const checked = parseAssigned(configSchema, settings, assignments, paths);
  return "problems" in checked ? { problems: checked.problems.map(withoutFolder) } : checked;
}

/** Explains an unknown `data.dir`, which `--data` sets, for data that is not read from a folder. */
function withoutFolder({ path, message }: Problem): Problem {
  return path.join(".") === "data.dir" && message.startsWith("unknown key")
    ? { path, message: "this data is not read from a folder; remove --data or data.dir" }
    : { path, message };
}

/**
 * Merges the layers, applies the assignments, whole records before single keys inside them, and checks the result. A value
 * from the command line becomes a string where the setting requires one: `data.dir=2024`.
 */
function parseAssigned<S extends z.ZodType>(
  schema: S,
  layers: readonly Plain[],
  assignments: readonly Assignment[],
  paths: () => readonly string[],
): Checked<z.output<S>> {
  const ordered = assignments.toSorted((a, b) => a.keys.length - b.keys.length);
  const parse = (assigned: readonly Assignment[]) => {
    const merged = mergeAll([...layers, ...assigned.map(({ keys, value }) => expandShorthand(nest(keys, value)))]);
    return { merged, result: read("scenario", () => schema.safeParse(merged, INTERPRETED)) };
  };
  const first = parse(ordered);
  if (first.result.success) return { value: first.result.data };
  const failed = first.result.error.issues.map(({ path }) => path.join("."));
  const second = parse(ordered.map((assignment) => {
    const { keys, text, value } = assignment;
    return text !== undefined && typeof value !== "object" && failed.includes(keys.join("."))
      ? { ...assignment, value: text }
      : assignment;
  }));
  if (second.result.success) return { value: second.result.data };
  const better = second.result.error.issues.length < first.result.error.issues.length ? second : first;
  return { problems: read("scenario", () => problemsOf(better.result.error!, better.merged, schema, paths)) };
}

/** Finds assignments to keys that do not exist or cannot be overridden. */
function misplacedAssignments(
  structure: Structure,
  assignments: readonly Assignment[],
  paths: () => readonly string[],
) {
  const names = Object.keys(structure.params);
  return assignments.flatMap(({ keys }): Problem[] => {
    const [head] = keys as [string];
    if (head === "model") {
      return [{
        path: keys,
        message: keys[1] === "weights"
          ? "the setting is called weights; write weights=FILE"
          : "the model is fixed by the script; declare params to choose one from the command line",
      }];
    }
    if (head === "params" || Object.hasOwn(configSchema.shape, head)) return [];
    if (SCENARIO_KEYS.includes(head)) return [{ path: keys, message: "can only be set in the script" }];
    const known = [...names, ...Object.keys(configSchema.shape)];
    return [{ path: [head], message: `unknown key${suggestKey([head], known, paths)}` }];
  });
}

/** Finds settings that training on several ranks excludes. */
function distributeProblems(config: Config): Problem[] {
  if (config.distribute === null) return [];
  const wrong: readonly (readonly [key: string, wrong: boolean, message: string])[] = [
    [
      "distribute",
      config.optimizer === null || config.mode !== "train",
      "requires training; set optimizer and mode train",
    ],
    [
      "sink",
      config.sink !== 0,
      `is ${config.sink}, but with distribute gradients are averaged in every step; set sink to 0`,
    ],
    [
      "loader.dropLast",
      !config.loader.dropLast,
      "is false, but with distribute every rank needs a full batch; set it to true",
    ],
    ["target", config.target !== null, "cannot be combined with distribute; set one of them to null"],
    ["seeds", config.seeds !== null, "cannot be combined with distribute; set one of them to null"],
  ];
  return wrong.filter(([, found]) => found).map(([key, , message]) => ({ path: key.split("."), message }));
}

function processesProblems({ measure: { processes, setups }, epochs, distribute }: RunConfig): Problem[] {
  if (processes === null) return [];
  const problem = (path: string[], message: string): Problem => ({ path, message });
  return [
    ...setups === null
      ? []
      : [problem(["measure", "setups"], "cannot be combined with measure.processes; set one of them to null")],
    ...epochs === null ? [] : [
      problem(
        ["epochs"],
        "cannot be combined with measure.processes, whose processes train again; give measure.steps",
      ),
    ],
    ...distribute == null
      ? []
      : [problem(["distribute"], "cannot be combined with measure.processes; set one of them to null")],
  ];
}

/** Finds blocks that have no percentile of their own. */
function statisticProblems(
  { measure: { statistic, steps }, epochs, sink = 0 }: RunConfig & { readonly sink?: Config["sink"] },
): Problem[] {
  const fewest = fewestSteps(statistic);
  const path = ["measure", "statistic"];
  if (statistic !== "mean" && sink !== 0) {
    return [{ path, message: `is ${statistic}, but steps in a sink are not timed separately; set sink to 0` }];
  }
  if (epochs !== null || steps >= fewest) return [];
  return [{
    path,
    message:
      `is ${statistic}, which blocks of ${steps} steps do not have; set measure.steps (--steps, of tacho versus ` +
      `--block) to ${fewest} or more`,
  }];
}

/** Finds settings that contradict each other. */
function contradictions(
  config: Config,
): Problem[] {
  const { model, loss, optimizer, evaluate, mode, target, seeds, timing, weights } = config;
  const problems: Problem[] = [
    ...distributeProblems(config),
    ...processesProblems(config),
    ...statisticProblems(config),
  ];
  const needs = (key: string, what: string) =>
    problems.push({ path: [key], message: `requires ${what}; otherwise set ${key} to null` });
  if (loss !== null && model === null) needs("loss", "a model");
  if (optimizer !== null && mode === "train") {
    if (model === null) needs("optimizer", "a model");
    else if (loss === null) needs("optimizer", "a loss such as crossEntropy()");
  }
  if (timing !== null && model === null) needs("timing", "a model");
  if (weights !== null && model === null) needs("weights", "a model");
  if (evaluate !== null && (model === null || loss === null)) needs("evaluate", "a model and a loss");
  if (target !== null && (model === null || loss === null)) needs("target", "a model and a loss");
  if (seeds !== null && (model === null || loss === null || optimizer === null)) {
    needs("seeds", "a model, a loss and an optimizer");
  }
  return problems;
}

/**
 * Splits `model: { layer, weights }` into the settings `model` and `weights`. A record without a layer keeps the model of
 * the scenario.
 *
 * @throws {InputError} if the record has another key
 */
function splitModel(settings: Plain): Plain {
  const { model, ...others } = settings;
  if (!isPlain(model)) return settings;
  const unknown = Object.keys(model).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) {
    throw new InputError(
      `model: has no "${clipped(unknown)}"${suggestion(unknown, KEYS)}; expected a layer, or { layer, weights }`,
    );
  }
  const { layer, weights } = model;
  return {
    ...others,
    ...(layer === undefined ? {} : { model: layer }),
    ...(weights === undefined ? {} : { weights }),
  };
}
