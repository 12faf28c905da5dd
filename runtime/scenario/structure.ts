/**
 * The outer structure of a scenario: its keys, variants and sweep, before any setting is checked.
 *
 * @module
 */
import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";
import { read, readable } from "../core/readable.ts";
import { clipped, shown, shownLines } from "../core/shown.ts";
import { INTERPRETED } from "../data/checked.ts";
import { kindOf } from "../nn/layer.ts";
import type { ParamTypes } from "./definition.ts";
import { type AdapterLayer, NO_ADAPTER, SOFTWARE } from "./adapters.ts";
import { isPlain, type Plain } from "./merge.ts";
import { formatProblem, problemsOf, suggestKey } from "./problems.ts";
import { checkPrograms, type ResolvedProgram } from "./program.ts";
import { runSchema, settingsSchema } from "./schema.ts";
import { NamePool, SLUG, SLUG_RULE, slugOf } from "./slug.ts";
import { type Sweep, sweepOf, sweepSchema } from "./sweep.ts";

/** Keys that a variant can set. */
const SETTING_KEYS: readonly string[] = ["model", ...Object.keys(settingsSchema.shape)];

/** Keys that apply to all variants. */
export const RUN_KEYS: readonly string[] = Object.keys(runSchema.shape);

const OWN_KEYS = ["name", "params", "variants", "sweep", "programs", "baseline", "adapters"];

/** Keys of the settings for an adapter; the model is the same on every adapter. */
const ADAPTER_KEYS: readonly string[] = [
  "params",
  "variants",
  ...SETTING_KEYS.filter((key) => key !== "model"),
  ...RUN_KEYS,
];

/** All keys of a scenario. */
export const SCENARIO_KEYS: readonly string[] = [...OWN_KEYS, ...SETTING_KEYS, ...RUN_KEYS];

const slug = z.string({ error: "expected a name" }).regex(SLUG, { error: `expected ${SLUG_RULE}` });
const records = "expected records of settings by name, such as { workers: { loader: { numWorkers: 2 } } }";
const schema = z.object({
  name: slug,
  params: z.record(
    z.string(),
    z.custom<z.ZodType>(isType, { error: "expected a zod type such as z.coerce.number()" }),
    {
      error: "expected zod types by name",
    },
  ).default({}),
  baseline: z.string({ error: "expected the name of a variant" }).optional(),
  variants: z.record(z.string(), z.custom<Plain>(isPlain, { error: "expected a record of settings" }), {
    error: records,
  }).optional(),
  sweep: sweepSchema.optional(),
  programs: z.record(z.string(), z.unknown(), {
    error: 'expected programs by name, such as { a: program("deno run -A a.ts") }',
  }).optional(),
  adapters: z.record(
    z.string(),
    z.looseObject({
      variants: z.array(z.string({ error: "expected the name of a variant" }), {
        error: 'expected a list of variants such as ["baseline", "sink"]',
      }).min(1, { error: "expected at least one variant" }).optional(),
    }, { error: "expected a record of settings" }),
    { error: "expected settings by adapter, such as { software: { loader: { batchSize: 8 } } }" },
  ).default({}),
});

function isType(value: unknown): boolean {
  return typeof (value as { safeParse?: unknown } | null | undefined)?.safeParse === "function";
}

/** The parts of a scenario. */
export interface Structure {
  readonly name: string;
  readonly params: ParamTypes;
  readonly baseline: string | null;
  /** Variants by name; empty if there are none. */
  readonly variants: Plain;
  /** The sweep, without axes if there is none. */
  readonly sweep: Sweep;
  readonly programs: readonly ResolvedProgram[];
  /** False for a scenario of programs only, which has no settings of variants. */
  readonly trains: boolean;
  /** Settings as written, including those of the whole scenario. */
  readonly base: Plain;
  /** Settings for some adapters, by adapter. */
  readonly adapters: Readonly<Record<string, AdapterLayer>>;
}

/**
 * Splits a scenario into its parts.
 *
 * @throws {InputError} listing every problem with the outer structure
 */
export function takeApart(written: unknown): Structure {
  const definition: unknown = readable(written, "");
  if (!isPlain(definition)) throw new InputError(`scenario: expected a record, got ${kindOf(definition)}`);
  const listed = Array.isArray(definition["variants"]);
  const named = listed ? { ...definition, variants: namedVariants(definition["variants"] as unknown[]) } : definition;
  const result = read("scenario", () => schema.safeParse(named, INTERPRETED));
  const problems = result.success ? [] : problemsOf(result.error, named, schema).map(formatProblem);
  for (const key of Object.keys(definition)) {
    if (!SCENARIO_KEYS.includes(key)) {
      problems.push(`${clipped(key)}: unknown key${suggestKey([key], SCENARIO_KEYS, () => [])}`);
    }
  }
  if (!result.success || problems.length > 0) throw new InputError(shownLines(problems));
  const { name, params, baseline = null, variants = {} } = result.data;
  const sweep = sweepOf(result.data.sweep ?? {});
  const { programs, problems: wrong } = checkPrograms(result.data.programs ?? {});
  problems.push(
    ...paramProblems(params),
    ...listed ? [] : nameProblems(Object.keys(variants)),
    ...wrong.map(formatProblem),
    ...programProblems(Object.keys(result.data.programs ?? {}), variants),
    ...adapterProblems(result.data.adapters),
  );
  if (Object.keys(variants).length > 0 && sweep.axes.length > 0) {
    problems.push("sweep: expected either variants or a sweep, got both; remove one of them");
  }
  if (problems.length > 0) throw new InputError(shownLines(problems));
  const base = Object.fromEntries(Object.entries(definition).filter(([key]) => !OWN_KEYS.includes(key)));
  const adapters = Object.fromEntries(
    Object.entries(result.data.adapters).map((
      [key, { variants = null, ...settings }],
    ) => [key, { settings, variants }]),
  );
  const cold = programs.filter(({ program }) => program.kind === "program" && program.start === "cold");
  const trains = programs.length === 0 || Object.keys(variants).length > 0 || sweep.axes.length > 0 ||
    Object.keys(base).some((key) => SETTING_KEYS.includes(key));
  if (cold.length > 0 && (trains || cold.length < programs.length)) {
    throw new InputError(
      `programs.${
        cold[0]!.name
      }.start: cold starts can only be compared with each other; set it for all programs, and ` +
        "leave out variants",
    );
  }
  return { name, params, baseline, variants, sweep, programs, trains, base, adapters };
}

/** Checks the names of parameters, which the command line sets by bare name. */
function paramProblems(params: ParamTypes): string[] {
  return Object.keys(params).flatMap((name) => {
    if (SCENARIO_KEYS.includes(name)) {
      return [`params.${clipped(name)}: "${name}" is a key of the scenario; choose another name`];
    }
    if (name in {}) return [`params.${name}: every record in JavaScript has "${name}"; choose another name`];
    return /^[A-Za-z_]\w*$/.test(name)
      ? []
      : [`params.${clipped(name)}: expected a name of letters, digits and underscores`];
  });
}

function nameProblems(names: readonly string[]): string[] {
  return names.filter((name) => !SLUG.test(name))
    .map((name) => `variants.${clipped(name)}: expected ${SLUG_RULE}, got ${shown(name)}`);
}

/** Returns the problems with the keys of a variant, one per line. */
export function variantProblems(name: string, variant: Plain): string[] {
  const allowed = ["params", ...SETTING_KEYS];
  return Object.keys(variant).filter((key) => !allowed.includes(key)).map((key) =>
    SCENARIO_KEYS.includes(key)
      ? `variants.${clipped(name)}.${clipped(key)}: belongs to the scenario, not to a variant; move it there`
      : `variants.${clipped(name)}.${clipped(key)}: unknown key${suggestKey([key], allowed, () => [])}`
  );
}

/** Checks the names of programs, which share a matrix with the variants. */
function programProblems(names: readonly string[], variants: Plain): string[] {
  return names.flatMap((name) => {
    if (!SLUG.test(name)) return [`programs.${clipped(name)}: expected ${SLUG_RULE}, got ${shown(name)}`];
    return Object.hasOwn(variants, name)
      ? [`programs.${clipped(name)}: is the name of a variant, too; choose another name`]
      : [];
  });
}

function adapterProblems(adapters: Plain): string[] {
  return Object.entries(adapters).flatMap(([adapter, settings]) => {
    const here = `adapters.${clipped(adapter)}`;
    if (adapter.trim() === "" || adapter === NO_ADAPTER) {
      return [`${here}: expected ${SOFTWARE}, or a part of the adapter's name or driver`];
    }
    return Object.keys(settings as Plain).filter((key) => !ADAPTER_KEYS.includes(key)).map((key) =>
      SCENARIO_KEYS.includes(key)
        ? `${here}.${clipped(key)}: is the same on every adapter; move it to the scenario`
        : `${here}.${clipped(key)}: unknown key${suggestion(key, ADAPTER_KEYS)}`
    );
  });
}

/**
 * Turns a list of variants into a record by name. A variant without a `name` is named after its settings, such as
 * `amp=O2,numWorkers=2`.
 *
 * @throws {InputError} if an item is not a record, or a name is invalid or used twice
 */
function namedVariants(list: readonly unknown[]): Plain {
  const names = new NamePool();
  const named: [string, Plain][] = [];
  list.forEach((variant, i) => {
    if (!isPlain(variant)) {
      throw new InputError(`variants[${i}]: expected a record of settings, got ${shown(variant)}`);
    }
    const { name, ...settings } = variant;
    if (name === undefined) return named.push([names.take(nameOf(settings)), settings]);
    if (typeof name !== "string" || !SLUG.test(name)) {
      throw new InputError(`variants[${i}].name: expected ${SLUG_RULE}, got ${shown(name)}`);
    }
    if (names.has(name)) {
      throw new InputError(`variants[${i}].name: "${clipped(name)}" is already the name of another variant`);
    }
    names.add(name);
    return named.push([name, settings]);
  });
  return Object.fromEntries(named);
}

function nameOf(settings: Plain): string {
  if (settings["kind"] === "compose" && Array.isArray(settings["parts"])) {
    return settings["parts"].map((part) => typeof part === "string" ? part : nameOf(part as Plain)).join("+");
  }
  return leaves(settings).map(({ key, value }) => `${key}=${slugOf(value)}`).join(",") || "baseline";
}

/** Returns the innermost settings by the last key of their paths. */
function leaves(settings: Plain): { key: string; value: unknown }[] {
  return Object.entries(settings).flatMap(([key, value]) => {
    if (typeof value === "function") return [{ key, value: value.name || "function" }];
    return isPlain(value) && value["kind"] === undefined ? leaves(value) : [{ key, value }];
  });
}
