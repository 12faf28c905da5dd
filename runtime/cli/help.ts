import { ENVIRONMENT_VARIABLES } from "../core/environment_variables.ts";
import { EXIT_STATUS_MEANINGS, InputError } from "../core/errors.ts";
import { describedArms } from "../experiment/programs/described_arms.ts";
import { createPaint } from "../report/color.ts";
import { differences, type NamedConfig, renderVariants } from "../report/differences.ts";
import { wrap } from "../report/wrap.ts";
import type { Scenario } from "../scenario/definition.ts";
import { documentKeys } from "../scenario/document.ts";
import { isPlain, type Plain } from "../scenario/merge.ts";
import { resolveScenario } from "../scenario/resolve.ts";
import { helpPairs, helpSection } from "./help_pairs.ts";
import { explainKey, showValue } from "./settings_help.ts";

const EXIT_STATUS = EXIT_STATUS_MEANINGS.map(({ status, meaning }) => [String(status), meaning] as const);

const ENVIRONMENT = ENVIRONMENT_VARIABLES.map(({ name, description }) => [name, description] as const);

const KEYS_NOTE =
  "One value (key=value) applies to every variant. Several values (key=value,value) or a range (key=16..256:x2, " +
  "key=8..32:8) replace the variants with all combinations.";

const OTHER_KEYS = "All other settings, or those about a word: tacho help settings [WORD]";

const UNRESOLVED = "unknown: the scenario has errors; run it to see them";

/** Returns the part of `--help` below the flags: examples, keys, variants, exit statuses, environment. */
export function helpText(scenario: Scenario, command: string, width: number): string {
  const keys = documentKeys(scenario);
  const arms = armsOf(scenario);
  const changed = arms === null ? [] : changedPaths(arms);
  const params = keys.filter((key) => key.param);
  const settings = keys.filter(({ path, param, set }) =>
    !param && (set || changed.some((other) => path === other || path.startsWith(`${other}.`)))
  );
  const keyWidth = Math.max(0, ...[...params, ...settings].map(({ path }) => path.length)) + 2;
  const sections = [
    helpSection("Examples", helpPairs(examples(command), 0, width)),
    params.length === 0
      ? ""
      : helpSection(`Parameters of ${scenario.name}`, helpPairs(params.map(explainKey), keyWidth, width)),
    helpSection("Keys", [
      ...wrap(KEYS_NOTE, width - 2, 0),
      "",
      ...settings.length === 0 ? [] : [...helpPairs(settings.map(explainKey), keyWidth, width), ""],
      OTHER_KEYS,
    ]),
    helpSection("Variants", arms === null ? [UNRESOLVED] : variants(arms, width)),
    adapters(scenario, width),
    helpSection("Exit status", helpPairs(EXIT_STATUS, 0, width)),
    helpSection("Environment", helpPairs(ENVIRONMENT, 0, width)),
  ];
  return sections.join("");
}

function examples(command: string): [string, string][] {
  return [
    [command, "run the scenario as written"],
    [`${command} amp=O0,O2 loader.numWorkers=0,2`, "run a sweep of 4 variants"],
    [`${command} sink=10 --rounds 8`, "run every variant with sinks of 10 steps, in 8 blocks each"],
    [`${command} --verbosity 2 --report out`, "print the largest ops, and write a trace for ui.perfetto.dev"],
    [`${command} --log nnc`, "print the profile in the format of the Neural Network Console"],
    [`${command} --dry-run`, "print size, work and memory of each variant"],
    [`${command} --json result.json`, "write the whole result as JSON"],
  ];
}

/** Lists the settings by adapter; empty for a scenario without any. */
function adapters({ adapters }: Scenario, width: number): string {
  if (!isPlain(adapters) || Object.keys(adapters).length === 0) return "";
  const entries = Object.entries(adapters).map(([key, settings]): [string, string] => [
    key,
    isPlain(settings) ? assignments(settings).join(" ") : showValue(settings),
  ]);
  return helpSection("Settings by adapter, before variants", helpPairs(entries, 0, width));
}

/** Returns the values inside nested records as on the command line. */
function assignments(settings: Plain, prefix = ""): string[] {
  return Object.entries(settings).flatMap(([key, value]) =>
    isPlain(value) ? assignments(value, `${prefix}${key}.`) : [`${prefix}${key}=${showValue(value)}`]
  );
}

/** Variants and programs with their settings. */
interface Arms {
  readonly all: readonly NamedConfig[];
  readonly baseline: string;
}

/** Returns the variants and programs; null if the scenario has errors. */
function armsOf(scenario: Scenario): Arms | null {
  try {
    const resolved = resolveScenario(scenario);
    return { all: describedArms(resolved), baseline: resolved.baseline };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return null;
  }
}

/** Returns the paths of settings that variants change. */
function changedPaths({ all, baseline }: Arms): string[] {
  const { config: reference } = all.find(({ name }) => name === baseline)!;
  return [...new Set(all.flatMap(({ config }) => differences(config, reference).map(({ path }) => path)))];
}

function variants({ all, baseline }: Arms, width: number): string[] {
  return renderVariants(all, baseline, { width: width - 2, paint: createPaint(false) });
}
