import { basename } from "node:path";
import { splitCommand } from "../../attach/programs/split_command.ts";
import { parseSteps } from "../../attach/settings.ts";
import { InputError } from "../../core/errors.ts";
import { command, type CommandSpec, lineProblem, WHOLE_RUN } from "../../scenario/command.ts";
import { program, type ProgramSpec } from "../../scenario/program.ts";
import { SLUG, SLUG_RULE, slugOf } from "../../scenario/slug.ts";
import { combinations, filled, type ParameterValues } from "./parameters.ts";
import type { VersusOptions } from "./versus_flags.ts";

/** Value of `--shell` for none, as in hyperfine. */
const NO_SHELL = "none";

/** Options in place of settings that scenarios have. */
const OPTION_OF: Readonly<Record<string, string>> = {
  "measure.steps": "--block",
  "measure.skip": "--skip",
  "measure.rounds": "--rounds",
  "measure.processes": "--processes",
  "measure.statistic": "--measure",
};

/** Commands to compare, by name. */
export interface ComparedCommands {
  readonly specs: ReadonlyMap<string, ProgramSpec | CommandSpec>;
  /** Name or command line of each, for exports. */
  readonly titles: ReadonlyMap<string, string>;
  /** Whole runs are compared, each in a fresh process. */
  readonly whole: boolean;
}

/** A command line with what belongs to it. */
interface Line {
  readonly name: string;
  /** Name as given, or the command. */
  readonly title: string;
  readonly text: string;
  readonly prepare: string | null;
  readonly conclude: string | null;
  readonly parameters: ParameterValues;
}

/**
 * Returns the commands of a command line. Those of Deno are held in WebGPU's calls; flags that only whole runs have, and any
 * other command, take whole runs.
 *
 * @throws {InputError} if a flag contradicts another, or a name is wrong or occurs twice
 */
export function comparedCommands(texts: readonly string[], options: VersusOptions): ComparedCommands {
  for (const text of texts) checkSetting(text);
  const lines = linesOf(texts, options);
  const steps = options.steps ??
    (lines.every(({ text }) => isDeno(text)) && runFlag(options) === null ? "auto" : WHOLE_RUN);
  const held = parseSteps(steps) !== null;
  if (held) checkHeld(steps, lines, options);
  else if (steps !== WHOLE_RUN) {
    if (options.output !== undefined) {
      throw new InputError(`--output: has what whole runs write; leave out --steps ${steps}, or --output`);
    }
    const problem = lineProblem(steps);
    if (problem !== null) {
      throw new InputError(`--steps: ${problem}; or auto, wait, submit:N, mark for programs of Deno`);
    }
  }
  const named = namesOf(lines);
  const { unit, perStep, timeout } = options;
  const common = {
    steps,
    perStep,
    unit,
    timeout: timeout === undefined ? undefined : 1000 * timeout,
  };
  const specs = [...named].map(([name, line]): [string, ProgramSpec | CommandSpec] => {
    if (!held) return [name, command(line.text, { ...common, ...ofRuns(line, options) })];
    const { words, env } = splitCommand(line.text);
    return [name, program(words, { ...common, env })];
  });
  return {
    specs: new Map(specs),
    titles: new Map([...named].map(([name, line]) => [name, line.title])),
    whole: steps === WHOLE_RUN,
  };
}

/** @throws {InputError} if a word sets a setting of scenarios */
function checkSetting(text: string): void {
  const [, key, value] = /^([a-zA-Z]+(?:\.[a-zA-Z]+)+)=(\S*)$/.exec(text) ?? [];
  if (key === undefined) return;
  const option = OPTION_OF[key];
  const instead = option === undefined ? "programs keep theirs; see tacho versus --help" : `use ${option} ${value}`;
  throw new InputError(`tacho versus: ${key} is a setting of scenarios; ${instead}`);
}

/** Returns the settings of whole runs. */
function ofRuns({ prepare, conclude, parameters }: Line, options: VersusOptions) {
  const fill = (text: string | undefined) => text === undefined ? null : filled(text, parameters);
  const { shell } = options;
  return {
    ...{ prepare, conclude, parameters },
    ...{
      setup: fill(options.setup),
      cleanup: fill(options.cleanup),
      input: fill(options.input),
      output: fill(options.output),
    },
    ignoreFailure: options.ignoreFailure ?? false,
    ...shell === false || shell === NO_SHELL ? { shell: null } : typeof shell === "string" ? { shell } : {},
  };
}

/** Returns the first flag that only whole runs have; null without any. */
function runFlag(
  { setup, prepare, conclude, cleanup, shell, ignoreFailure, input, output }: VersusOptions,
): string | null {
  const given = { setup, prepare, conclude, cleanup, input, output, "ignore-failure": ignoreFailure };
  const flag = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
  if (flag !== undefined) return `--${flag}`;
  return shell === false ? "-N" : typeof shell === "string" ? "--shell" : null;
}

function checkHeld(steps: string, lines: readonly Line[], options: VersusOptions): void {
  const other = lines.find(({ text }) => !isDeno(text));
  const instead = "give --steps run, or stdout:/REGEX/ with a line that ends a step";
  if (other !== undefined) {
    throw new InputError(`--steps ${steps}: "${other.text}" is no program of Deno; ${instead}`);
  }
  const flag = runFlag(options);
  if (flag !== null) throw new InputError(`--steps ${steps}: ${flag} needs commands that are not held; ${instead}`);
}

/** Returns each command with each combination of the parameters. */
function linesOf(texts: readonly string[], options: VersusOptions): Line[] {
  const { commandName = [], parameter = new Map() } = options;
  if (commandName.length > texts.length) {
    throw new InputError(`-n: got ${commandName.length} names for ${texts.length} commands`);
  }
  const around = (flag: string, commands: readonly string[] = [], i: number) => {
    if (commands.length > 1 && commands.length !== texts.length) {
      throw new InputError(`${flag}: expected one command, or one for each of ${texts.length}, got ${commands.length}`);
    }
    return (commands.length === 1 ? commands[0] : commands[i]) ?? null;
  };
  return texts.flatMap((given, i) => {
    const { name, text } = i < commandName.length ? { name: commandName[i]!, text: given } : splitName(given);
    const [prepare, conclude] = [around("--prepare", options.prepare, i), around("--conclude", options.conclude, i)];
    return combinations(parameter).map((parameters) => {
      const fill = <T extends string | null>(line: T) => line === null ? null : filled(line, parameters);
      const own = { name: nameOf(name, i, parameters, texts.length === 1), title: fill(name ?? text)! };
      return { ...own, text: fill(text)!, prepare: fill(prepare), conclude: fill(conclude), parameters };
    });
  });
}

/** Splits a name from a command; an upper-case one is a variable unless a program of Deno or Node follows. */
function splitName(given: string): { name: string | null; text: string } {
  const found = /^(?<name>[^\s=]+)=(?<text>(?:deno|node)\s.*)$/s.exec(given) ??
    /^(?<name>[a-z][^\s=]*)=(?<text>\S.*)$/s.exec(given);
  return { name: found?.groups?.["name"] ?? null, text: found?.groups?.["text"] ?? given };
}

function namesOf(lines: readonly Line[]): Map<string, Line> {
  const named = new Map<string, Line>();
  for (const line of lines) {
    const { name } = line;
    if (!SLUG.test(name)) throw new InputError(`tacho versus: name "${name}": expected ${SLUG_RULE}`);
    if (named.has(name)) {
      throw new InputError(`tacho versus: two programs have the name "${name}"; name each: NAME="deno run ..."`);
    }
    named.set(name, line);
  }
  return named;
}

/** Names a command: as given, or by a letter; with the values of the parameters unless they are part of the name. */
function nameOf(given: string | null, i: number, parameters: ParameterValues, isAlone: boolean): string {
  const values = Object.entries(parameters).map(([name, value]) => `${name}=${slugOf(value)}`).join("-");
  const base = given ?? String.fromCharCode("a".charCodeAt(0) + i);
  if (values === "" || filled(base, parameters) !== base) return filled(base, parameters);
  return given === null && isAlone ? values : `${base}-${values}`;
}

/** Returns true for a command that runs Deno. */
function isDeno(text: string): boolean {
  try {
    return /^deno(\.exe)?$/.test(basename(splitCommand(text).words[0]!));
  } catch {
    return false; // the shell may understand it
  }
}
