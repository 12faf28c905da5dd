/**
 * Lists the variants of a run: those of the scenario, or all combinations of a sweep.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";
import { clipped } from "../core/shown.ts";
import { layersOf } from "./compose.ts";
import type { Plain } from "./merge.ts";
import type { Override, OverrideValue } from "./override.ts";
import { NamePool, slugOf } from "./slug.ts";
import type { SweepAxis } from "./sweep.ts";
import { RUN_KEYS, type Structure } from "./structure.ts";

/** A value assigned to a setting. */
export interface Assignment extends Partial<Pick<OverrideValue, "text">> {
  readonly keys: readonly string[];
  readonly value: unknown;
}

/** A variant before its settings are checked. */
export interface PlannedVariant {
  readonly name: string;
  /** Settings merged over the scenario's, in order. */
  readonly layers: readonly Plain[];
  /** Single settings applied on top of the layers. */
  readonly assignments: readonly Assignment[];
  /** Value on each axis of a sweep, by setting; empty without a sweep. */
  readonly settings: Readonly<Record<string, string>>;
}

/** One or more settings that change together. */
interface Axis {
  readonly paths: readonly (readonly string[])[];
  /** Points of the axis, each with a value per path. */
  readonly points: readonly (readonly { readonly value: unknown; readonly text?: string }[])[];
}

/**
 * Returns the variants before a baseline is chosen. An override with one value applies to every variant and removes that
 * setting from the scenario's sweep. Overrides with several values form a sweep that replaces the scenario's variants.
 *
 * @throws {InputError} if a composition is invalid, or a sweep is over a setting that all variants share
 */
export function planVariants(structure: Structure, overrides: readonly Override[]): PlannedVariant[] {
  const single = overrides.filter(({ values }) => values.length === 1);
  const assignments = single.map(({ keys, values }): Assignment => ({ keys, ...values[0]! }));
  const swept = overrides.filter(({ values }) => values.length > 1);
  const given = new Set(assignments.map(({ keys }) => keys.join(".")));
  const axes = swept.length > 0
    ? swept.map(({ keys, values }): Axis => ({ paths: [keys], points: values.map((value) => [value]) }))
    : structure.sweep.flatMap((axis) => declaredAxis(axis, given, structure));
  for (const keys of axes.flatMap(({ paths }) => paths)) {
    if (RUN_KEYS.includes(keys[0]!)) {
      throw new InputError(`${keys.join(".")}: applies to the whole scenario; give one value, not a list`);
    }
  }
  if (axes.length > 0) return product(axes, assignments);
  const names = Object.keys(structure.variants);
  if (names.length === 0) return [{ name: "baseline", layers: [], assignments, settings: {} }];
  return names.map((name) => ({ name, layers: layersOf(name, structure.variants), assignments, settings: {} }));
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

/** Returns the full path of a setting; expands the bare name of a parameter. */
export function qualified(keys: readonly string[], { params }: Structure): readonly string[] {
  return Object.hasOwn(params, keys[0]!) ? ["params", ...keys] : keys;
}

/** Returns all combinations of the axes; the last axis changes fastest. */
function product(axes: readonly Axis[], common: readonly Assignment[]): PlannedVariant[] {
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
    return { name: names.take(parts.join(",")), layers: [], assignments: [...assignments, ...common], settings };
  });
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
 * Returns the variants named by `wanted`, in the scenario's order. Names made by a sweep contain commas, so adjacent items
 * are joined if that gives a name.
 *
 * @throws {InputError} if a name is unknown
 */
export function pickVariants<V extends { readonly name: string }>(all: readonly V[], wanted: readonly string[]): V[] {
  const names = new Set(all.map(({ name }) => name));
  const most = all.reduce((parts, { name }) => Math.max(parts, name.split(",").length), 0);
  const picked = new Set<string>();
  const items = wanted.join(",").split(",");
  if (items.at(-1) === "") items.pop();
  for (let from = 0; from < items.length;) {
    let to = Math.min(items.length, from + most);
    while (to > from && !names.has(items.slice(from, to).join(","))) to--;
    if (to === from) {
      const unknown = items[from]!;
      throw new InputError(`variants: unknown variant "${clipped(unknown)}"${suggestion(unknown, [...names])}`);
    }
    picked.add(items.slice(from, to).join(","));
    from = to;
  }
  return all.filter(({ name }) => picked.has(name));
}
