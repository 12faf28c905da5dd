import { InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";
import { clipped, shownLines } from "../core/shown.ts";
import { type Adapted, type AdapterLayer, NO_ADAPTER } from "./adapters.ts";
import { checkConfig, type SharedChecks, type WrittenSettings } from "./check_config.ts";
import type { Config } from "./config.ts";
import { describeConfig } from "./describe.ts";
import { isPlain, type Plain } from "./merge.ts";
import { formatProblem, type Problem } from "./problems.ts";
import type { Structure } from "./structure.ts";

/**
 * Returns the settings under the given keys.
 *
 * @throws {InputError} if a key is unknown
 */
export function layersFor({ adapters }: Structure, keys: readonly string[]): AdapterLayer[] {
  return keys.filter((key) => key !== NO_ADAPTER).map((key) => {
    const layer = adapters[key];
    if (layer !== undefined && Object.hasOwn(adapters, key)) return layer;
    const known = [...Object.keys(adapters), NO_ADAPTER];
    throw new InputError(`adapters: unknown settings "${clipped(key)}"${suggestion(key, known)}`);
  });
}

/**
 * Checks the settings for every adapter, also for those that do not apply.
 *
 * @param names names of the scenario's variants
 * @throws {InputError} listing every problem that the scenario does not have without these settings
 */
export function checkAdapters(structure: Structure, names: readonly string[], shared: SharedChecks): void {
  const problems = (layers: readonly Plain[]) => {
    const checked = checkConfig(structure, { layers, assignments: [] }, shared);
    return "problems" in checked ? checked.problems : [];
  };
  let own: ReadonlySet<string> | null = null;
  const isOwn = (problem: Problem) => (own ??= new Set(problems([]).map(formatProblem))).has(formatProblem(problem));
  const lines = Object.entries(structure.adapters).flatMap(([key, { settings, variants }]) => [
    ...problems([settings]).filter((problem) => !isOwn(problem))
      .map(({ path, message }) => formatProblem({ path: ["adapters", key, ...path], message })),
    ...(variants ?? []).filter((name) => !names.includes(name)).map((name) =>
      `adapters.${clipped(key)}.variants: unknown variant "${clipped(name)}"${suggestion(name, names)}`
    ),
  ]);
  if (lines.length > 0) throw new InputError(shownLines(lines));
}

/**
 * Returns the settings of a variant that its adapter changes.
 *
 * @param config settings with those for the adapter
 */
export function changedSettings(
  structure: Structure,
  variant: WrittenSettings,
  config: Config,
  shared: SharedChecks,
): Adapted["changes"] {
  const checked = checkConfig(structure, variant, shared);
  const before = "value" in checked ? leaves(describeConfig(checked.value.config)) : new Map<string, unknown>();
  return [...leaves(describeConfig(config))].flatMap(([path, to]) => {
    const from = before.get(path) ?? null;
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ path, from, to }];
  });
}

/** Returns the values inside nested records by dotted path; lists are values. */
function leaves(value: Plain, prefix = ""): Map<string, unknown> {
  return new Map(
    Object.entries(value).flatMap(([key, item]): [string, unknown][] =>
      isPlain(item) ? [...leaves(item, `${prefix}${key}.`)] : [[prefix + key, item]]
    ),
  );
}
