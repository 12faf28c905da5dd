import { Command } from "@commander-js/extra-typings";
import type { Grouping } from "../analysis/op_groups.ts";
import type { SortColumn } from "../analysis/op_order.ts";
import type { ProfileRequest } from "../record/schedule.ts";
import type { Dialect } from "../report/dialects/names.ts";
import { decimal, folder, names, runName, stepWindow, wholeNumber } from "./flag_values.ts";
import { GATE, GATE_UNDECIDED } from "./gate_flags.ts";
import { parseCommand } from "./parse_command.ts";
import { ADVICE, GROUP_BY, LOG, PIPELINE, RAW, SORT, TOP, VERBOSITY } from "./view_flags.ts";

/** What a command line asks for. */
export interface Flags {
  /** `key=v1,v2`, as typed. */
  overrides: string[];
  variants?: string[] | undefined;
  steps?: number | undefined;
  skip?: number | undefined;
  rounds?: number | undefined;
  /** Half width of the intervals to be reached: 0.02 for +-2 %. */
  precision?: number | undefined;
  /** Seconds. */
  maxTime?: number | undefined;
  minEffect?: number | undefined;
  /** False to leave the baseline's second copy out. */
  aa?: false | undefined;
  seed?: number | undefined;
  data?: string | undefined;
  /** 0: the matrix; 1: phases and the step trace as well; 2: every op. */
  verbosity?: 0 | 1 | 2 | undefined;
  log?: Dialect | undefined;
  profileSteps?: ProfileRequest | undefined;
  groupBy?: Grouping[] | undefined;
  sort?: SortColumn | undefined;
  top?: number | undefined;
  /** Take parts of each variant's step away. */
  bottleneck?: true | undefined;
  /** Try the advice of one variant, one piece at a time. */
  tune?: true | undefined;
  /** Seconds that it may take. */
  tuneTime?: number | undefined;
  /** Print every block. */
  raw?: true | undefined;
  /** Print every finding with its evidence. */
  advice?: true | undefined;
  /** No sign of life while it runs. */
  quiet?: true | undefined;
  /** Show where the time of loading goes. */
  pipeline: boolean;
  json?: string | undefined;
  /** Write events to stdout. */
  jsonLines: boolean;
  /** Folder. */
  report?: string | undefined;
  /** Conditions that the result has to meet. */
  gate?: string[] | undefined;
  gateUndecided?: "pass" | "fail" | undefined;
  adapter?: string | undefined;
  /** Folder of the store; false to keep nothing. */
  store?: string | boolean | undefined;
  /** Name of a kept run to take up; true for the last one of the same settings. */
  resume?: string | true | undefined;
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
  if (!parseCommand(command, args)) return null;
  const { list = false, dryRun = false, debug = false, pipeline = false, jsonLines = false, aa, ...flags } = command
    .opts();
  return { ...flags, ...aa === false ? { aa } : {}, list, dryRun, debug, pipeline, jsonLines, overrides: command.args };
}

/** A flag as it is declared. */
export interface FlagDeclaration {
  /** With its dashes: `--steps`. */
  readonly name: string;
  readonly value: "none" | "required" | "optional";
  /** The value names a file or a folder. */
  readonly isPath: boolean;
}

/** All flags of a script but `--help`. */
export function declaredFlags(): FlagDeclaration[] {
  const { options } = createCommand({ command: "", helpAfter: () => "", helpWidth: 0, write: () => {} });
  return options.map(({ long, flags, required, optional }) => ({
    name: long!,
    value: required ? "required" : optional ? "optional" : "none",
    isPath: /<(file|dir)>/.test(flags),
  }));
}

/** Flags of a script with their help texts, for the reference. */
export function flagDocuments(): { flags: string; description: string }[] {
  const command = createCommand({ command: "script", helpAfter: () => "", helpWidth: 100, write: () => {} });
  return command.options.map(({ flags, description }) => ({ flags, description }));
}

function createCommand({ command, helpAfter, helpWidth, write }: FlagsOptions) {
  return new Command(command)
    .description("Trains the variants of this scenario on the GPU and prints which is faster, by how much, and why.")
    .argument("[key=value...]", "a setting for every variant, or a sweep: key=value1,value2 (keys below)")
    .option("--variants <names>", "run only these, separated by commas", names("--variants"))
    .option("--steps <n>", "measured steps of a block", wholeNumber("--steps", 1))
    .option("--skip <n>", "steps at the start that do not count, at the least", wholeNumber("--skip", 0))
    .option(
      "--rounds <n>",
      "measured blocks of each variant; with --precision: at the least",
      wholeNumber("--rounds", 1),
    )
    .option(
      "--precision <r>",
      "go on until every interval is within this part, 0.02 for +-2 %",
      decimal("--precision", 0, { above: true }),
    )
    .option("--max-time <s>", "begin no round after so many seconds", decimal("--max-time", 0, { above: true }))
    .option("--min-effect <r>", "the least speed-up that counts: 0.01 for 1 %", decimal("--min-effect", 0))
    .option("--no-aa", "leave out the second copy of the baseline, which shows the noise")
    .option("--seed <n>", "the seed of every random draw", wholeNumber("--seed", 0))
    .option("--data <dir>", "folder of the data set")
    .addOption(VERBOSITY)
    .addOption(LOG)
    .option("--profile-steps <a:b>", "profile the steps from a to the one before b", stepWindow("--profile-steps"))
    .addOption(GROUP_BY)
    .addOption(SORT)
    .addOption(TOP)
    .addOption(PIPELINE)
    .addOption(RAW)
    .addOption(ADVICE)
    .option("--bottleneck", "take parts of each variant's step away, to see what bounds it")
    .option("--tune", "try the advice one setting at a time, keep what is faster, and print the ladder")
    .option("--tune-time <s>", "seconds after which no further setting is tried", wholeNumber("--tune-time", 1))
    .option("--json <file>", "write the whole result as JSON; - for stdout, which then holds nothing else")
    .option("--json-lines", "write events to stdout while running, a JSON object per line, and nothing else")
    .option("--report <dir>", "write report.html, report.md, result.json, profile.csv and trace.json into a folder")
    .addOption(GATE)
    .addOption(GATE_UNDECIDED)
    .option("--store <dir>", "folder that the run is kept in, in place of TACHO_STORE", folder("--store"))
    .option("--no-store", "do not keep this run")
    .option(
      "--resume [id]",
      "take up a run that was interrupted; the last one of the same settings",
      runName("--resume"),
    )
    .option("--list", "print the variants and what sets them apart, and stop")
    .option("--dry-run", "print size, work and memory of each variant without running it, and stop")
    .option("--adapter <name>", "part of the adapter's name, or low-power, or high-performance")
    .option("--quiet", "print nothing to stderr but warnings and errors")
    .option("--debug", "print a stack trace with an error")
    .option("--no-color", "print without colours")
    .helpOption("-h, --help", "print this text, and stop")
    .addHelpText("after", helpAfter)
    .configureHelp({ helpWidth })
    .configureOutput({ writeOut: write, outputError: () => {} })
    .exitOverride();
}
