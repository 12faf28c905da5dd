/**
 * What the commands of `tacho` have in common.
 *
 * @module
 */
import { Command, Option } from "@commander-js/extra-typings";
import { wrap } from "../../report/wrap.ts";
import { folder } from "../flag_values.ts";
import { terminalColumns, writeOut } from "../terminal.ts";

/** Text is not set wider than this. */
const PROSE_WIDTH = 100;

/** What a command's module exports as `run`: does the command with what follows its name; gives the exit status. */
export type RunCommand = (args: readonly string[]) => Promise<number>;

/** A command in the list of all. Its module is loaded when it is used. */
export interface CommandEntry {
  readonly name: string;
  /** One line for `tacho --help`. */
  readonly summary: string;
  readonly load: () => Promise<{ run: RunCommand }>;
}

export interface Usage {
  /** `runs`. */
  readonly name: string;
  readonly description: string;
  /** Command lines, each with what it does. */
  readonly examples: readonly (readonly [line: string, what: string])[];
}

/** Which store to look into. */
export const STORE = new Option("--store <dir>", "folder of the kept runs, in place of TACHO_STORE")
  .argParser(folder("--store"));

/** A command without arguments and flags of its own yet; parse it with `parseCommand`. */
export function createCommand({ name, description, examples }: Usage) {
  const helpWidth = Math.min(terminalColumns(), PROSE_WIDTH);
  const width = Math.max(...examples.map(([line]) => line.length)) + 2;
  const lines = examples.flatMap(([line, what]) => wrap(line.padEnd(width) + what, helpWidth - 2, width));
  return new Command(`tacho ${name}`)
    .description(description)
    .addOption(STORE)
    .option("--debug", "print a stack trace with an error")
    .option("--no-color", "print without colours")
    .helpOption("-h, --help", "print this text, and stop")
    .addHelpText("after", `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`)
    .configureHelp({ helpWidth })
    .configureOutput({ writeOut, outputError: () => {} })
    .exitOverride();
}
