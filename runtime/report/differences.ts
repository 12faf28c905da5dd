import { nameInProse, printable } from "./plain_text.ts";
import { type TableSpec, words } from "./spec.ts";
import type { Change } from "../result/schema.ts";
import type { Paint } from "./color.ts";
import { wrap } from "./wrap.ts";

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
  const [to, from] = [config, reference].map((own, i) => flatten(own, [reference, config][i]!)) as [Leaves, Leaves];
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
  return list.map(({ path, from, to }) => `${printable(path)} ${settingText(from)} -> ${settingText(to)}`).join(", ");
}

/** Returns a JSON value as text: strings without quotes, and a record as `bucket: 1024, overlap: true`. */
export function settingText(value: string | null): string {
  if (value === null) return "unset";
  if (!value.startsWith("{")) return value.replace(/^"(.*)"$/, "$1");
  const entries = Object.entries(JSON.parse(value) as Config);
  return entries.map(([key, item]) => `${key}: ${settingText(JSON.stringify(item))}`).join(", ") || value;
}

/** Returns the table of settings in which a variant differs from the baseline. */
export function differencesTable(config: Config, reference: Config, baseline: string): TableSpec<Difference> {
  return {
    title: `Differences from ${nameInProse(baseline)}`,
    columns: [
      words("setting", ({ path }) => path),
      words("baseline", ({ from }) => settingText(from)),
      words("here", ({ to }) => settingText(to)),
    ],
    rows: differences(config, reference),
  };
}

type Leaves = Map<string, string>;

/**
 * Returns the leaves of nested records by path. Lists are leaves, since a setting replaces a list as a whole, and so are
 * records of settings that are null in the other configuration.
 */
function flatten(value: Config, other: Config, prefix = "", into: Leaves = new Map()): Leaves {
  for (const [key, item] of Object.entries(value)) {
    const path = prefix === "" ? key : `${prefix}.${key}`;
    const counterpart = other[key];
    if (isRecord(item) && Object.keys(item).length > 0 && counterpart !== null) {
      flatten(item, isRecord(counterpart) ? counterpart : {}, path, into);
    } else into.set(path, JSON.stringify(item));
  }
  return into;
}

function isRecord(value: unknown): value is Config {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Formats changes of settings: `loader.numWorkers 0 -> 2, sink 0 -> 10`. */
export function changesText(changes: readonly Change[]): string {
  return changes.map(({ path, from, to }) => `${printable(path)} ${valueText(from)} -> ${valueText(to)}`).join(", ");
}

function valueText(value: Change["to"]): string {
  if (Array.isArray(value) && value.some((item) => typeof item === "object")) return `[${value.length} items]`;
  return printable(typeof value === "string" ? value : JSON.stringify(value));
}

/** Variant with its configuration as plain data. */
export interface NamedConfig {
  name: string;
  config: Readonly<Record<string, unknown>>;
}

/** Renders one entry for each variant: its name and its differences from the baseline. */
export function renderVariants(
  variants: readonly NamedConfig[],
  baseline: string,
  { width, paint }: { width: number; paint: Paint },
): string[] {
  const reference = variants.find(({ name }) => name === baseline);
  const indent = Math.min(24, Math.max(...variants.map(({ name }) => nameInProse(name).length)) + 2);
  return variants.flatMap(({ name: own, config }) => {
    const name = nameInProse(own);
    const list = reference === undefined ? [] : differences(config, reference.config);
    const words = own === baseline ? "the baseline" : formatDifferences(list) || `the same as ${nameInProse(baseline)}`;
    const [first = "", ...rest] = wrap(name.padEnd(indent - 1) + " " + words, width, indent);
    return [first.replace(name, () => paint(name, "heading")), ...rest];
  });
}
