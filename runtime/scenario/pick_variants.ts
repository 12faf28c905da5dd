import { isGlob, matchesGlob } from "../core/glob.ts";
import { InputError } from "../core/errors.ts";
import { knownNames, suggestion } from "../core/nearest.ts";
import { clipped } from "../core/shown.ts";

interface Named {
  readonly name: string;
}

/**
 * Returns the variants named by `wanted`, in the scenario's order. An item is a name or a pattern such as `b8-*`, and a
 * pattern keeps the baseline. Names made by a sweep contain commas, so adjacent items are joined if that gives a name.
 *
 * @throws {InputError} if a name is unknown, or a pattern matches none
 */
export function pickVariants<V extends Named>(all: readonly V[], wanted: readonly string[], baseline: string): V[] {
  const { names, globs } = namedBy(all, wanted, "variants");
  return all.filter(({ name }) => names.has(name) || (globs && name === baseline));
}

/**
 * Returns the variants without those named by `unwanted`, as {@linkcode pickVariants} reads them. A pattern keeps the
 * baseline.
 *
 * @throws {InputError} if a name is unknown, a pattern matches none, or patterns match all
 */
export function excludeVariants<V extends Named>(
  all: readonly V[],
  unwanted: readonly string[],
  baseline: string,
): V[] {
  const { names, exact } = namedBy(all, unwanted, "exclude");
  const left = all.filter(({ name }) => !(name === baseline ? exact : names).has(name));
  if (left.length === 0) throw new InputError("exclude: leaves no variant");
  if (names.size === all.length) {
    throw new InputError(
      `exclude: the patterns match all variants, and leave only the baseline "${clipped(baseline)}"; ` +
        "to run it alone, name it in --variants",
    );
  }
  return left;
}

/** Variants that a list of names and patterns selects. */
interface Selection {
  readonly names: ReadonlySet<string>;
  /** Those among them that are named without a pattern. */
  readonly exact: ReadonlySet<string>;
  /** There is a pattern. */
  readonly globs: boolean;
}

function namedBy(all: readonly Named[], wanted: readonly string[], place: string): Selection {
  const known = new Set(all.map(({ name }) => name));
  const most = all.reduce((parts, { name }) => Math.max(parts, name.split(",").length), 0);
  const matched = new Set<string>();
  const exact = new Set<string>();
  const items = wanted.join(",").split(",");
  if (items.at(-1) === "") items.pop();
  for (let from = 0; from < items.length;) {
    let found: { readonly names: readonly string[]; readonly text: string } | null = null;
    let to = Math.min(items.length, from + most) + 1;
    while (found === null && --to > from) {
      const text = items.slice(from, to).join(",");
      const names = isGlob(text) ? [...known].filter((name) => matchesGlob(text, name)) : known.has(text) ? [text] : [];
      if (names.length > 0) found = { names, text };
    }
    if (found === null) throw unknownVariant(place, items[from]!, [...known]);
    for (const name of found.names) matched.add(name);
    if (!isGlob(found.text)) exact.add(found.text);
    from = to;
  }
  return { names: matched, exact, globs: items.some(isGlob) };
}

function unknownVariant(place: string, item: string, known: readonly string[]): InputError {
  return new InputError(
    isGlob(item)
      ? `${place}: no variant matches "${clipped(item)}"${knownNames(known)}`
      : `${place}: unknown variant "${clipped(item)}"${suggestion(item, known)}`,
  );
}
