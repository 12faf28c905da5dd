/**
 * Shared parts of the commands of `tacho`.
 *
 * @module
 */
import { type Argument, Command, type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { folder } from "../flag_values.ts";
import { helpPairs } from "../help_pairs.ts";
import { PROSE_WIDTH, terminalColumns, writeOut } from "../terminal.ts";

/** Declaration of a command line, from which its arguments are parsed and completed. */
export type CommandLine = Pick<Command, "options" | "registeredArguments">;

/** Module of a command. */
export interface CommandModule {
  /** Declares the command line. */
  readonly define: () => CommandLine;
  /** Runs the command with its arguments, and returns the exit status. `commands` is the list of all commands. */
  readonly run: (args: readonly string[], commands: readonly CommandEntry[]) => Promise<number>;
}

/** Entry in the list of commands. Its module is loaded on use. */
export interface CommandEntry {
  readonly name: string;
  /** Title above the command in `tacho --help`. */
  readonly group: string;
  /** Line in `tacho --help`. */
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

export interface Usage {
  /** Name, such as `runs`. */
  readonly name: string;
  readonly description: string;
  /** Command lines with their effects. */
  readonly examples: readonly (readonly [line: string, what: string])[];
}

/** Folder of the store. */
export const STORE = new Option("--store <dir>", "folder of the kept runs, instead of TACHO_STORE")
  .argParser(folder("--store"));

const DEBUG = new Option("--debug", "print a stack trace with errors");
const NO_COLOR = new Option("--no-color", "print without colours");

/** Creates a command that reads or writes kept runs, with the common flags, to be parsed with `parseCommand`. */
export function createCommand(usage: Usage) {
  const command = new Command().addOption(STORE).addOption(DEBUG).addOption(NO_COLOR);
  configure(command, usage);
  return command;
}

/** Creates a command without kept runs, with the common flags, to be parsed with `parseCommand`. */
export function createPlainCommand(usage: Usage) {
  const command = new Command().addOption(DEBUG).addOption(NO_COLOR);
  configure(command, usage);
  return command;
}

/** Writes the default of an argument as those of flags are written, without quotes. */
function argumentDescription({ description, defaultValue }: Argument): string {
  return typeof defaultValue === "string" ? `${description} (default: ${defaultValue})` : description;
}

function configure(command: CommandUnknownOpts, { name, description, examples }: Usage): void {
  const helpWidth = Math.min(terminalColumns(), PROSE_WIDTH);
  const lines = helpPairs(examples, 0, helpWidth);
  command
    .name(`tacho ${name}`)
    .description(description)
    .helpOption("-h, --help", "print this help and exit")
    .addHelpText("after", `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`)
    .configureHelp({ helpWidth, argumentDescription })
    .configureOutput({ writeOut, outputError: () => {} })
    .exitOverride();
}
