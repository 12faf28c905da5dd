/**
 * Which variants there are: those of the scenario, or the product of a sweep's axes.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";
import { layersOf } from "./compose.ts";
import type { Plain } from "./merge.ts";
import type { Override, OverrideValue } from "./override.ts";
import { slugOf } from "./slug.ts";
import { RUN_KEYS, type Structure } from "./structure.ts";

/** A value for a setting. */
export interface Assignment extends Partial<Pick<OverrideValue, "text">> {
  readonly keys: readonly string[];
  readonly value: unknown;
}

/** A variant before its settings are checked. */
export interface PlannedVariant {
  readonly name: string;
  /** What it says over the scenario, the last on top. */
  readonly layers: readonly Plain[];
  /** Values of single settings over all that. */
  readonly assignments: readonly Assignment[];
}

interface Axis {
  readonly keys: readonly string[];
  readonly values: readonly { readonly value: unknown; readonly text?: string }[];
}

/**
 * The variants, baseline not yet chosen. An override with one value holds for every variant; those with several make
 * their own sweep in place of the scenario's variants. A single value takes an axis of the scenario's sweep away.
 *
 * @throws {InputError} if a composition is wrong, or a sweep is over something that holds for all variants
 */
export function planVariants(structure: Structure, overrides: readonly Override[]): PlannedVariant[] {
  const single = overrides.filter(({ values }) => values.length === 1);
  const assignments = single.map(({ keys, values }): Assignment => ({ keys, ...values[0]! }));
  const swept = overrides.filter(({ values }) => values.length > 1);
  const declared = Object.entries(structure.sweep)
    .map(([path, values]): Axis => ({ keys: path.split("."), values: values.map((value) => ({ value })) }))
    .map((axis) => ({ ...axis, keys: qualified(axis.keys, structure) }))
    .filter((axis) => !assignments.some(({ keys }) => keys.join(".") === axis.keys.join(".")));
  const axes: readonly Axis[] = swept.length > 0 ? swept : declared;
  for (const { keys } of axes) {
    if (RUN_KEYS.includes(keys[0]!)) {
      throw new InputError(`${keys.join(".")}: holds for the whole scenario; give one value, not a list`);
    }
  }
  if (axes.length > 0) return product(axes, assignments);
  const names = Object.keys(structure.variants);
  if (names.length === 0) return [{ name: "baseline", layers: [], assignments }];
  return names.map((name) => ({ name, layers: layersOf(name, structure.variants), assignments }));
}

/** The whole path of a setting: a parameter can go by its bare name. */
export function qualified(keys: readonly string[], { params }: Structure): readonly string[] {
  return Object.hasOwn(params, keys[0]!) ? ["params", ...keys] : keys;
}

/** All combinations of the axes' values, the last axis changing fastest. */
function product(axes: readonly Axis[], common: readonly Assignment[]): PlannedVariant[] {
  const labels = axes.map((axis) => labelOf(axis, axes));
  let variants = [{ parts: [] as string[], assignments: [] as Assignment[] }];
  axes.forEach(({ keys, values }, i) => {
    variants = variants.flatMap(({ parts, assignments }) =>
      values.map((value) => ({
        parts: [...parts, `${labels[i]}=${slugOf(value.value)}`],
        assignments: [...assignments, { keys, ...value }],
      }))
    );
  });
  const taken = new Set<string>();
  return variants.map(({ parts, assignments }) => {
    const name = unused(parts.join(","), taken);
    taken.add(name);
    return { name, layers: [], assignments: [...assignments, ...common] };
  });
}

/** The last part of the path, or all of it where another axis ends alike. */
function labelOf({ keys }: Axis, axes: readonly Axis[]): string {
  const last = keys.at(-1)!;
  return axes.filter((other) => other.keys.at(-1) === last).length > 1 ? keys.join(".") : last;
}

function unused(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let i = 2;; i++) if (!taken.has(`${name}-${i}`)) return `${name}-${i}`;
}

/**
 * The variants named by `wanted`, in the scenario's order. Names that a sweep made hold commas: neighbours are put
 * together where that gives a name.
 *
 * @throws {InputError} if a name is unknown
 */
export function pickVariants<V extends { readonly name: string }>(all: readonly V[], wanted: readonly string[]): V[] {
  const names = all.map(({ name }) => name);
  const picked = new Set<string>();
  for (let rest = wanted.join(","); rest !== "";) {
    const fits = names.filter((name) => rest === name || rest.startsWith(`${name},`));
    const longest = fits.toSorted((a, b) => b.length - a.length)[0];
    if (longest === undefined) {
      const unknown = rest.split(",")[0]!;
      throw new InputError(`variants: unknown variant "${unknown}"${suggestion(unknown, names)}`);
    }
    picked.add(longest);
    rest = rest.slice(longest.length + 1);
  }
  return all.filter(({ name }) => picked.has(name));
}
