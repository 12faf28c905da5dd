import { Command, CommanderError } from "@commander-js/extra-typings";
import { InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";

/** What a command line asks for. */
export interface Flags {
  /** `key=v1,v2`, as typed. */
  overrides: string[];
  variants?: string[] | undefined;
  steps?: number | undefined;
  skip?: number | undefined;
  rounds?: number | undefined;
  seed?: number | undefined;
  data?: string | undefined;
  json?: string | undefined;
  adapter?: string | undefined;
  list: boolean;
  dryRun: boolean;
  debug: boolean;
  color: boolean;
}

export interface FlagsOptions {
  /** The command as it was typed, for the usage line. */
  command: string;
  /** What follows the list of flags in `--help`; asked for only then. */
  helpAfter: () => string;
  helpWidth: number;
  /** Takes the text of `--help`. */
  write: (text: string) => void;
}

/**
 * Reads a command line. Returns null when it asked for help, which has been written then.
 *
 * @throws {InputError} An unknown flag, a missing or a wrong value.
 */
export function parseFlags(args: readonly string[], options: FlagsOptions): Flags | null {
  const command = createCommand(options);
  try {
    command.parse([...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === "commander.helpDisplayed") return null;
    throw readable(error, command.options.flatMap(({ long }) => long ?? []));
  }
  const { list = false, dryRun = false, debug = false, ...flags } = command.opts();
  return { ...flags, list, dryRun, debug, overrides: command.args };
}

function createCommand({ command, helpAfter, helpWidth, write }: FlagsOptions) {
  return new Command(command)
    .description("Trains the variants of this scenario on the GPU and prints which is faster, by how much, and why.")
    .argument("[key=value...]", "a setting for every variant, or a sweep: key=value1,value2 (keys below)")
    .option("--variants <names>", "run only these, separated by commas", names)
    .option("--steps <n>", "measured steps of a block", wholeNumber("--steps", 1))
    .option("--skip <n>", "steps at the start that do not count", wholeNumber("--skip", 0))
    .option("--rounds <n>", "measured blocks of each variant", wholeNumber("--rounds", 1))
    .option("--seed <n>", "the seed of every random draw", wholeNumber("--seed", 0))
    .option("--data <dir>", "folder of the data set")
    .option("--json <file>", "write the whole result as JSON; - for stdout, which then holds nothing else")
    .option("--list", "print the variants and what sets them apart, and stop")
    .option("--dry-run", "print size, work and memory of each variant without a device, and stop")
    .option("--adapter <name>", "part of the adapter's name, or low-power, or high-performance")
    .option("--debug", "print a stack trace with an error")
    .option("--no-color", "print without colours")
    .helpOption("-h, --help", "print this text, and stop")
    .addHelpText("after", helpAfter)
    .configureHelp({ helpWidth })
    .configureOutput({ writeOut: write, outputError: () => {} })
    .exitOverride();
}

/** The parser of a flag that takes a whole number of at least `least`. */
function wholeNumber(flag: string, least: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    if (value >= least && Number.isSafeInteger(value)) return value;
    throw new InputError(`${flag}: expected a whole number of at least ${least}, got "${text}"`);
  };
}

function names(text: string): string[] {
  const list = text.split(",").map((name) => name.trim());
  if (list.every((name) => name !== "")) return list;
  throw new InputError(`--variants: expected names separated by commas, got "${text}"`);
}

/** Commander's complaint in the style of all others, with the nearest flag. */
function readable(error: CommanderError, known: readonly string[]): InputError {
  const flag = error.message.match(/'(-[^\s']+)/)?.[1];
  if (error.code === "commander.unknownOption" && flag !== undefined) {
    const [name = flag] = flag.split("=");
    if (known.includes(name)) return new InputError(`${name}: takes no value, got "${flag.slice(name.length + 1)}"`);
    return new InputError(`Unknown flag ${name}${suggestion(name, [...known, "--help"])}`);
  }
  if (error.code === "commander.optionMissingArgument" && flag !== undefined) {
    return new InputError(`${flag}: expected a value`);
  }
  return new InputError(error.message.replace(/^error: /, ""));
}
