import { Command, CommanderError } from "@commander-js/extra-typings";
import { type Grouping, GROUPINGS } from "../analysis/op_groups.ts";
import { SORT_COLUMNS, type SortColumn } from "../analysis/op_order.ts";
import { InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";
import type { ProfileRequest } from "../record/schedule.ts";
import { type Dialect, DIALECTS } from "../report/dialects/names.ts";
import { level, names, oneOf, someOf, stepWindow, wholeNumber } from "./flag_values.ts";

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
  /** 0: the matrix; 1: phases and the step trace as well; 2: every op. */
  verbosity?: 0 | 1 | 2 | undefined;
  log?: Dialect | undefined;
  profileSteps?: ProfileRequest | undefined;
  groupBy?: Grouping[] | undefined;
  sort?: SortColumn | undefined;
  top?: number | undefined;
  /** Show where the time of loading goes. */
  pipeline: boolean;
  json?: string | undefined;
  /** Folder. */
  report?: string | undefined;
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
  const { list = false, dryRun = false, debug = false, pipeline = false, ...flags } = command.opts();
  return { ...flags, list, dryRun, debug, pipeline, overrides: command.args };
}

function createCommand({ command, helpAfter, helpWidth, write }: FlagsOptions) {
  return new Command(command)
    .description("Trains the variants of this scenario on the GPU and prints which is faster, by how much, and why.")
    .argument("[key=value...]", "a setting for every variant, or a sweep: key=value1,value2 (keys below)")
    .option("--variants <names>", "run only these, separated by commas", names("--variants"))
    .option("--steps <n>", "measured steps of a block", wholeNumber("--steps", 1))
    .option("--skip <n>", "steps at the start that do not count", wholeNumber("--skip", 0))
    .option("--rounds <n>", "measured blocks of each variant", wholeNumber("--rounds", 1))
    .option("--seed <n>", "the seed of every random draw", wholeNumber("--seed", 0))
    .option("--data <dir>", "folder of the data set")
    .option("--verbosity <n>", "0: the matrix; 1: phases and steps as well; 2: every op as well", level("--verbosity"))
    .option("--log <tool>", `print the profile as ${DIALECTS.join(", ")} would`, oneOf("--log", DIALECTS))
    .option("--profile-steps <a:b>", "profile the steps from a to the one before b", stepWindow("--profile-steps"))
    .option("--group-by <keys>", `add up ops by ${GROUPINGS.join(", ")}`, someOf("--group-by", GROUPINGS))
    .option("--sort <column>", `sort ops by ${SORT_COLUMNS.join(", ")}`, oneOf("--sort", SORT_COLUMNS))
    .option("--top <n>", "show only the first n ops", wholeNumber("--top", 1))
    .option("--pipeline", "print where the time of loading goes: stages, workers, queues, and what bounds them")
    .option("--json <file>", "write the whole result as JSON; - for stdout, which then holds nothing else")
    .option("--report <dir>", "write result.json, profile.csv and trace.json into a folder")
    .option("--list", "print the variants and what sets them apart, and stop")
    .option("--dry-run", "print size, work and memory of each variant without running it, and stop")
    .option("--adapter <name>", "part of the adapter's name, or low-power, or high-performance")
    .option("--debug", "print a stack trace with an error")
    .option("--no-color", "print without colours")
    .helpOption("-h, --help", "print this text, and stop")
    .addHelpText("after", helpAfter)
    .configureHelp({ helpWidth })
    .configureOutput({ writeOut: write, outputError: () => {} })
    .exitOverride();
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
