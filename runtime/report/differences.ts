import { nameInProse, printable } from "./plain_text.ts";
import { type TableSpec, words } from "./spec.ts";

/** Variant's configuration as plain data. */
type Config = Readonly<Record<string, unknown>>;

/** Setting in which two configurations differ. */
export interface Difference {
  /** Dotted path, as on the command line. */
  path: string;
  /** Value as JSON; null where it is not set. */
  from: string | null;
  to: string | null;
}

/**
 * Returns the settings in which `config` differs from `reference`, in the order of `config`. A program and a variant share no
 * settings; they differ in the program's command.
 */
export function differences(config: Config, reference: Config): Difference[] {
  const commands = [config, reference].map(commandOf);
  if (commands.includes(null) && commands[0] !== commands[1]) {
    return [{ path: "program", from: commands[1]!, to: commands[0]! }];
  }
  const to = flatten(config);
  const from = flatten(reference);
  const paths = new Set([...to.keys(), ...from.keys()]);
  return [...paths]
    .map((path) => ({ path, from: from.get(path) ?? null, to: to.get(path) ?? null }))
    .filter((difference) => difference.from !== difference.to);
}

/** Returns the command of a program as JSON; null for a variant. */
function commandOf({ program }: Config): string | null {
  const command: unknown = typeof program === "object" && program !== null && "command" in program
    ? program.command
    : null;
  return command === null ? null : JSON.stringify(command);
}

/** Formats differences: `loader.numWorkers 0 -> 2, sink 0 -> 10`. */
export function formatDifferences(list: readonly Difference[]): string {
  return list.map(({ path, from, to }) => `${printable(path)} ${plain(from)} -> ${plain(to)}`).join(", ");
}

/** Returns a JSON value as text, strings without quotes. */
function plain(value: string | null): string {
  return value?.replace(/^"(.*)"$/, "$1") ?? "unset";
}

/** Returns the table of settings in which a variant differs from the baseline. */
export function differencesTable(config: Config, reference: Config, baseline: string): TableSpec<Difference> {
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

/** Returns the leaves of nested records by path. Lists are leaves, since a setting replaces a list as a whole. */
function flatten(value: Config, prefix = "", into = new Map<string, string>()): Map<string, string> {
  for (const [key, item] of Object.entries(value)) {
    const path = prefix === "" ? key : `${prefix}.${key}`;
    const isRecord = typeof item === "object" && item !== null && !Array.isArray(item);
    if (isRecord && Object.keys(item).length > 0) flatten(item as Config, path, into);
    else into.set(path, JSON.stringify(item));
  }
  return into;
}
