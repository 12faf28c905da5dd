import { nameInProse, printable } from "./plain_text.ts";
import { type TableSpec, words } from "./spec.ts";

/** A variant's configuration as plain data. */
type Config = Readonly<Record<string, unknown>>;

/** One setting that two configurations do not share. */
export interface Difference {
  /** Dotted path, as it is written on the command line. */
  path: string;
  /** The value as JSON, or null where there is none. */
  from: string | null;
  to: string | null;
}

/** The settings in which `config` differs from `reference`, in the order of `config`. */
export function differences(config: Config, reference: Config): Difference[] {
  const to = flatten(config);
  const from = flatten(reference);
  const paths = new Set([...to.keys(), ...from.keys()]);
  return [...paths]
    .map((path) => ({ path, from: from.get(path) ?? null, to: to.get(path) ?? null }))
    .filter((difference) => difference.from !== difference.to);
}

/** The differences in words: `loader.numWorkers 0 -> 2, sink 0 -> 10`. */
export function formatDifferences(list: readonly Difference[]): string {
  const show = (value: string | null) => value?.replace(/^"(.*)"$/, "$1") ?? "unset";
  return list.map(({ path, from, to }) => `${printable(path)} ${show(from)} -> ${show(to)}`).join(", ");
}

/** The settings in which a variant differs from the baseline. */
export function differencesTable(config: Config, reference: Config, baseline: string): TableSpec<Difference> {
  const plain = (value: string | null) => value?.replace(/^"(.*)"$/, "$1") ?? "unset";
  return {
    title: `Differences from ${nameInProse(baseline)}`,
    columns: [
      words("setting", ({ path }) => path),
      words("baseline", ({ from }) => plain(from)),
      words("here", ({ to }) => plain(to)),
    ],
    rows: differences(config, reference),
  };
}

/** Leaves of nested records by path; lists are leaves, since they replace each other as a whole. */
function flatten(value: Config, prefix = "", into = new Map<string, string>()): Map<string, string> {
  for (const [key, item] of Object.entries(value)) {
    const path = prefix === "" ? key : `${prefix}.${key}`;
    const isRecord = typeof item === "object" && item !== null && !Array.isArray(item);
    if (isRecord && Object.keys(item).length > 0) flatten(item as Config, path, into);
    else into.set(path, JSON.stringify(item));
  }
  return into;
}
