/**
 * Lists the variants of a run: those of the scenario, or all combinations of a sweep.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";
import { clipped, shownLines } from "../core/shown.ts";
import type { Composition } from "./compose.ts";
import { isPlain, type Plain } from "./merge.ts";
import type { Override, OverrideValue } from "./override.ts";
import { NamePool, slugOf } from "./slug.ts";
import type { SweepAxis } from "./sweep.ts";
import { applyRules, type RuleScope } from "./sweep_rules.ts";
import { RUN_KEYS, type Structure, variantProblems } from "./structure.ts";

const NO_LAYERS = () => [];

const UNSWEPT = { settings: {}, axes: {} } as const;

/** Maximum number of combinations of a sweep, before rules leave some out. */
const MAX_COMBINATIONS = 100_000;

/** A value assigned to a setting. */
export interface Assignment extends Partial<Pick<OverrideValue, "text">> {
  readonly keys: readonly string[];
  readonly value: unknown;
}

/** A variant before its settings are checked. */
export interface PlannedVariant {
  readonly name: string;
  /**
   * Returns the settings merged over the scenario's, in order.
   *
   * @throws {InputError} if a composition is invalid, or a variant has unknown keys
   */
  readonly layers: () => readonly Plain[];
  /** Single settings applied on top of the layers. */
  readonly assignments: readonly Assignment[];
  /** Value on each axis of a sweep, by setting; empty without a sweep. */
  readonly settings: Readonly<Record<string, string>>;
  /** Value of each swept setting; those that change together are listed separately. */
  readonly axes: AxisValues;
}

/** Values of the swept settings by path, as tables show them: numbers, and texts for everything else. */
export type AxisValues = Readonly<Record<string, number | string>>;

/** One or more settings that change together. */
interface Axis {
  readonly paths: readonly (readonly string[])[];
  /** Points of the axis, each with a value per path. */
  readonly points: readonly (readonly { readonly value: unknown; readonly text?: string }[])[];
}

/**
 * Returns the variants before a baseline is chosen. An override with one value applies to every variant and removes that
 * setting from the scenario's sweep. Overrides with several values form a sweep that replaces the scenario's variants. A
 * scenario of programs only has none.
 *
 * @throws {InputError} if a sweep has too many combinations, wrong rules, or a setting that all variants share
 */
export function planVariants(structure: Structure, overrides: readonly Override[]): PlannedVariant[] {
  if (!structure.trains) return [];
  const single = overrides.filter(({ values }) => values.length === 1);
  const assignments = single.map(({ keys, values }): Assignment => ({ keys, ...values[0]! }));
  const swept = overrides.filter(({ values }) => values.length > 1);
  const given = new Set(assignments.map(({ keys }) => keys.join(".")));
  const axes = swept.length > 0
    ? swept.map(({ keys, values }): Axis => ({ paths: [keys], points: values.map((value) => [value]) }))
    : structure.sweep.axes.flatMap((axis) => declaredAxis(axis, given, structure));
  for (const keys of axes.flatMap(({ paths }) => paths)) {
    if (RUN_KEYS.includes(keys[0]!)) {
      throw new InputError(`${keys.join(".")}: applies to the whole scenario; give one value, not a list`);
    }
  }
  if (axes.length > 0) {
    const all = product(axes, assignments);
    return swept.length > 0 ? all : ruled(all, given, structure);
  }
  const names = Object.keys(structure.variants);
  if (names.length === 0) return [{ name: "baseline", layers: NO_LAYERS, assignments, ...UNSWEPT }];
  return names.map((name) => ({ name, layers: () => layersOf(name, structure.variants), assignments, ...UNSWEPT }));
}

/** Returns an axis of the scenario's sweep without the `given` settings, or nothing if none is left. */
function declaredAxis(axis: SweepAxis, given: ReadonlySet<string>, structure: Structure): Axis[] {
  const columns = Object.entries(axis)
    .map(([path, values]) => ({ keys: qualified(path.split("."), structure), values }))
    .filter(({ keys }) => !given.has(keys.join(".")));
  const [first] = columns;
  if (first === undefined) return [];
  return [{
    paths: columns.map(({ keys }) => keys),
    points: first.values.map((_, i) => columns.map(({ values }) => ({ value: values[i] }))),
  }];
}

/** Returns the combinations that the rules of the scenario's sweep leave. Values that are `given` count as the axis's. */
function ruled(all: readonly PlannedVariant[], given: ReadonlySet<string>, structure: Structure): PlannedVariant[] {
  const { axes, rules } = structure.sweep;
  if (rules.include.length + rules.exclude.length === 0) return [...all];
  const paths = axes.flatMap((axis) => Object.keys(axis)).map((path) => qualified(path.split("."), structure));
  const scope: RuleScope = {
    keys: paths.map((keys) => shownPath(keys)),
    whole: !paths.some((keys) => given.has(keys.join("."))),
  };
  const combinations = all.map((variant) => ({
    variant,
    name: variant.name,
    values: Object.fromEntries(variant.assignments.map(({ keys, value }) => [shownPath(keys), value])),
  }));
  return applyRules(combinations, rules, scope).map(({ variant }) => variant);
}

/** Returns the full path of a setting; expands the bare name of a parameter. */
export function qualified(keys: readonly string[], { params }: Structure): readonly string[] {
  return Object.hasOwn(params, keys[0]!) ? ["params", ...keys] : keys;
}

/** Returns all combinations of the axes; the last axis changes fastest. */
function product(axes: readonly Axis[], common: readonly Assignment[]): PlannedVariant[] {
  const count = axes.reduce((total, { points }) => total * points.length, 1);
  if (count > MAX_COMBINATIONS) {
    throw new InputError(`sweep: ${count} combinations of ${axes.length} axes; expected at most ${MAX_COMBINATIONS}`);
  }
  const all = axes.flatMap(({ paths }) => paths);
  let variants: { parts: string[]; assignments: Assignment[]; settings: Record<string, string> }[] = [
    { parts: [], assignments: [], settings: {} },
  ];
  for (const { paths, points } of axes) {
    const factor = paths.map((keys) => shownPath(keys)).join("+");
    variants = variants.flatMap(({ parts, assignments, settings }) =>
      points.map((point) => {
        const levels = point.map(({ value }) => slugOf(value));
        return {
          parts: [...parts, ...paths.map((keys, i) => `${labelOf(keys, all)}=${levels[i]}`)],
          assignments: [...assignments, ...paths.map((keys, i) => ({ keys, ...point[i]! }))],
          settings: { ...settings, [factor]: levels.join("+") },
        };
      })
    );
  }
  const names = new NamePool();
  return variants.map(({ parts, assignments, settings }) => {
    const values = assignments.map(({ keys, value }) => [shownPath(keys), axisValue(value)] as const);
    return {
      name: names.take(parts.join(",")),
      layers: NO_LAYERS,
      assignments: [...assignments, ...common],
      settings,
      axes: Object.fromEntries(values),
    };
  });
}

function axisValue(value: unknown): number | string {
  return typeof value === "number" && Number.isFinite(value) ? value : slugOf(value);
}

/** Formats a path as on the command line: a parameter by its bare name. */
function shownPath(keys: readonly string[]): string {
  return (keys[0] === "params" ? keys.slice(1) : keys).join(".");
}

/** Returns the last key of the path, or the whole path if another axis ends in the same key. */
function labelOf(keys: readonly string[], all: readonly (readonly string[])[]): string {
  const last = keys.at(-1)!;
  return all.filter((other) => other.at(-1) === last).length > 1 ? keys.join(".") : last;
}

/**
 * Returns the layers of settings that make up variant `name`, in the order in which they are merged.
 *
 * @throws {InputError} if a composition names an unknown variant or itself, or a variant has unknown keys
 */
function layersOf(name: string, variants: Plain, path: readonly string[] = []): Plain[] {
  const cycle = [...path, name];
  if (path.includes(name)) {
    throw new InputError(`variants.${path[0]}: ${cycle.join(" -> ")} is a cycle; a variant cannot include itself`);
  }
  const variant = variants[name];
  if (!isComposition(variant)) {
    const problems = variantProblems(name, variant as Plain);
    if (problems.length > 0) throw new InputError(shownLines(problems));
    return [variant as Plain];
  }
  return variant.parts.flatMap((part) => {
    if (typeof part !== "string") return [part];
    if (Object.hasOwn(variants, part)) return layersOf(part, variants, cycle);
    const known = Object.keys(variants).filter((other) => other !== name);
    throw new InputError(`variants.${name}: compose: unknown variant "${clipped(part)}"${suggestion(part, known)}`);
  });
}

function isComposition(value: unknown): value is Composition {
  return isPlain(value) && value["kind"] === "compose" && Array.isArray(value["parts"]);
}
