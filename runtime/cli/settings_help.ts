import { InputError } from "../core/errors.ts";
import { clipped } from "../core/shown.ts";
import { documentSchema, type KeyDocument } from "../scenario/document.ts";
import { formatValue } from "../scenario/override.ts";
import { suggestKey } from "../scenario/problems.ts";
import { helpPairs, helpSection } from "./help_pairs.ts";

/** Maximum length of a value to show; longer ones are only in the script. */
const LONGEST_VALUE = 32;

/** Settings that belong together. */
interface Section {
  /** Record of the settings; empty for those of every scenario. */
  readonly path: string;
  /** Kinds of the record that have these settings; empty if all have. */
  readonly kinds: readonly string[];
  readonly keys: readonly KeyDocument[];
}

/**
 * Explains the settings of scenarios: all, or those with `word` in their name, kind, values or description.
 *
 * @throws {InputError} if no setting has the word
 */
export function settingsHelp(word: string, width: number): string {
  const all = sections();
  const sought = word.toLowerCase();
  const found = all.map((section) => ({
    ...section,
    keys: section.keys.filter(({ path, type, description }) =>
      [section.path, ...section.kinds, path, type, description].some((text) => text.toLowerCase().includes(sought))
    ),
  })).filter(({ keys }) => keys.length > 0);
  if (found.length === 0) {
    const close = suggestKey([word.split(".").at(-1)!], [...new Set(all.flatMap(wordsOf))], () => []);
    throw new InputError(`tacho help settings: no setting has "${clipped(word)}" in its name or description${close}`);
  }
  const keyWidth = Math.max(...found.flatMap(({ keys }) => keys.map(({ path }) => path.length))) + 2;
  const texts = found.map((section) =>
    helpSection(titleOf(section), helpPairs(section.keys.map(explained), keyWidth, width))
  );
  return texts.join("").trimStart();
}

function explained(key: KeyDocument): [string, string] {
  return explainKey({ ...key, value: key.default });
}

/** Returns each setting once, with all kinds of its record that have it. */
function sections(): Section[] {
  const { common, kinds } = documentSchema();
  const own = kinds.flatMap(({ path, members }) => {
    const havers = new Map<string, { key: KeyDocument; kinds: string[] }>();
    for (const { kind, keys } of members) {
      for (const key of keys) {
        const id = JSON.stringify(key);
        havers.set(id, { key, kinds: [...havers.get(id)?.kinds ?? [], kind] });
      }
    }
    return [...Map.groupBy(havers.values(), ({ kinds }) => kinds.join())].map(([, alike]): Section => {
      const kinds = alike[0]!.kinds;
      return { path, kinds: kinds.length === members.length ? [] : kinds, keys: alike.map(({ key }) => key) };
    });
  });
  return [{ path: "", kinds: [], keys: common }, ...own];
}

function titleOf({ path, kinds }: Section): string {
  if (path === "") return "Settings of every scenario";
  return kinds.length === 0 ? `${path} of every kind` : `${path} ${kinds.join(", ")}`;
}

/** Parts of names and kinds, for suggestions: records before their settings. */
function wordsOf({ kinds, keys }: Section): string[] {
  const names = keys.map(({ path }) => path.split("."));
  return [...names.map(([record]) => record!), ...kinds, ...names.map((name) => name.at(-1)!)];
}

/** Describes a key: `samples per step (integer >= 1; default 32, here 64)`. */
export function explainKey({ path, type, default: fallback, value, description }: KeyDocument): [string, string] {
  const [usual, here] = [showValue(fallback), showValue(value)];
  const given = fallback === undefined ? null : `default ${usual}`;
  const own = value === undefined || here === usual ? null : `here ${here}`;
  const values = [given, own].filter((part) => part !== null).join(", ") || "required";
  return [path, `${description} (${type}; ${values})`.trimStart()];
}

/** Formats a value as on the command line. */
export function showValue(value: unknown): string {
  const text = typeof value === "function" || ArrayBuffer.isView(value) ? "" : formatValue(value);
  return text.length > 0 && text.length <= LONGEST_VALUE ? text : "set in the script";
}
