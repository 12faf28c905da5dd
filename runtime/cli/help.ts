import { ENVIRONMENT_VARIABLES } from "../core/environment_variables.ts";
import { EXIT_STATUS_MEANINGS, InputError } from "../core/errors.ts";
import { describedArms } from "../experiment/programs/described_arms.ts";
import { createPaint } from "../report/color.ts";
import { renderVariants } from "../report/variants.ts";
import { wrap } from "../report/wrap.ts";
import type { Scenario } from "../scenario/definition.ts";
import { documentKeys, type KeyDocument } from "../scenario/document.ts";
import { isPlain, type Plain } from "../scenario/merge.ts";
import { formatValue } from "../scenario/override.ts";
import { resolveScenario } from "../scenario/resolve.ts";
import { helpPairs } from "./help_pairs.ts";

/** Maximum length of a value to show; longer ones are only in the script. */
const LONGEST_VALUE = 32;

const EXIT_STATUS = EXIT_STATUS_MEANINGS.map(({ status, meaning }) => [String(status), meaning] as const);

const ENVIRONMENT = ENVIRONMENT_VARIABLES.map(({ name, description }) => [name, description] as const);

const KEYS_NOTE =
  "One value (key=value) applies to every variant. Several values (key=value,value) or a range (key=16..256:x2, " +
  "key=8..32:8) replace the variants with all combinations.";

/** Returns the part of `--help` below the flags: examples, keys, variants, exit statuses, environment. */
export function helpText(scenario: Scenario, command: string, width: number): string {
  const keys = documentKeys(scenario);
  const params = keys.filter((key) => key.param);
  const settings = keys.filter((key) => !key.param);
  const keyWidth = Math.max(...keys.map(({ path }) => path.length)) + 2;
  const sections = [
    section("Examples", helpPairs(examples(command), 0, width)),
    params.length === 0
      ? ""
      : section(`Parameters of ${scenario.name}`, helpPairs(params.map(explain), keyWidth, width)),
    section("Keys", [...wrap(KEYS_NOTE, width - 2, 0), "", ...helpPairs(settings.map(explain), keyWidth, width)]),
    section("Variants", variants(scenario, width)),
    adapters(scenario, width),
    section("Exit status", helpPairs(EXIT_STATUS, 0, width)),
    section("Environment", helpPairs(ENVIRONMENT, 0, width)),
  ];
  return sections.join("");
}

function section(title: string, lines: readonly string[]): string {
  return `\n${title}:\n${lines.map((line) => `  ${line}`.trimEnd()).join("\n")}\n`;
}

function examples(command: string): [string, string][] {
  return [
    [command, "run the scenario as written"],
    [`${command} amp=O0,O2 loader.numWorkers=0,2`, "run a sweep of 4 variants"],
    [`${command} sink=10 --rounds 5`, "run every variant with sinks of 10 steps, in 5 blocks each"],
    [`${command} --verbosity 2 --report out`, "print the largest ops, and write a trace for ui.perfetto.dev"],
    [`${command} --log nnc`, "print the profile in the format of the Neural Network Console"],
    [`${command} --dry-run`, "print size, work and memory of each variant"],
    [`${command} --json result.json`, "write the whole result as JSON"],
  ];
}

/** Describes a key: `samples per step (integer >= 1; default 32, here 64)`. */
function explain({ path, type, default: fallback, value, description }: KeyDocument): [string, string] {
  const [usual, here] = [show(fallback), show(value)];
  const given = fallback === undefined ? null : `default ${usual}`;
  const own = value === undefined || here === usual ? null : `here ${here}`;
  const values = [given, own].filter((part) => part !== null).join(", ") || "required";
  return [path, `${description} (${type}; ${values})`.trimStart()];
}

function show(value: unknown): string {
  const text = typeof value === "function" ? "" : formatValue(value);
  return text.length > 0 && text.length <= LONGEST_VALUE ? text : "set in the script";
}

/** Lists the settings by adapter; empty for a scenario without any. */
function adapters({ adapters }: Scenario, width: number): string {
  if (!isPlain(adapters) || Object.keys(adapters).length === 0) return "";
  const entries = Object.entries(adapters).map(([key, settings]): [string, string] => [
    key,
    isPlain(settings) ? assignments(settings).join(" ") : show(settings),
  ]);
  return section("Settings by adapter, before variants", helpPairs(entries, 0, width));
}

/** Returns the values inside nested records as on the command line. */
function assignments(settings: Plain, prefix = ""): string[] {
  return Object.entries(settings).flatMap(([key, value]) =>
    isPlain(value) ? assignments(value, `${prefix}${key}.`) : [`${prefix}${key}=${show(value)}`]
  );
}

function variants(scenario: Scenario, width: number): string[] {
  try {
    const resolved = resolveScenario(scenario);
    return renderVariants(describedArms(resolved), resolved.baseline, { width: width - 2, paint: createPaint(false) });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return ["unknown: the scenario has errors; run it to see them"];
  }
}
