import { Command } from "@commander-js/extra-typings";
import type { ResolveOptions } from "../scenario/resolve.ts";
import { ANNOTATIONS, GATE, GATE_UNDECIDED, JUNIT } from "./gate_flags.ts";
import { decimal, folder, names, runName, stepWindow, takesPair, wholeNumber } from "./flag_values.ts";
import { parseCommand } from "./parse_command.ts";
import { MEASURE } from "./measure_flag.ts";
import { shardRequest } from "./shard_flags.ts";
import { ADVICE, DIFF, DIFF_BY, EXPLAIN, GROUP_BY, LOG, PIPELINE, RAW, SORT, TOP, VERBOSITY } from "./view_flags.ts";

type Options = ReturnType<ReturnType<typeof createCommand>["opts"]>;

/** Flags that are false where they are not given. */
type Switch = "list" | "dryRun" | "debug" | "pipeline" | "jsonLines" | "color";

/** Parsed flags of a script. Their types follow from {@linkcode createCommand}, whose help texts say what each means. */
export type Flags =
  & { readonly [Name in Exclude<keyof Options, Switch | "aa">]?: Options[Name] | undefined }
  & Readonly<Record<Switch, boolean>>
  & {
    /** Settings and sweeps as typed: `key=v1,v2`. */
    readonly overrides: readonly string[];
    /** False omits the control arm; the scenario decides where it is missing. */
    readonly aa?: false | undefined;
  };

/** Returns the settings of the scenario that flags give. */
export function settingsOf(flags: Flags): ResolveOptions {
  // Advice on waits compares the step with ablations
  return { ...flags, dataDir: flags.data, bottleneck: flags.bottleneck ?? flags.advice };
}

export interface FlagsOptions {
  /** Command for the usage line. */
  command: string;
  /** Returns the text after the list of flags in `--help`; called only for `--help`. */
  helpAfter: () => string;
  helpWidth: number;
  /** Called with the text of `--help`. */
  write: (text: string) => void;
}

/**
 * Parses a command line. Writes the help and returns null if it asks for it.
 *
 * @throws {InputError} if a flag is unknown, or its value is missing or wrong
 */
export function parseFlags(args: readonly string[], options: FlagsOptions): Flags | null {
  const command = createCommand(options);
  if (!parseCommand(command, args)) return null;
  const { list = false, dryRun = false, debug = false, pipeline = false, jsonLines = false, aa, ...flags } = command
    .opts();
  return { ...flags, ...aa === false ? { aa } : {}, list, dryRun, debug, pipeline, jsonLines, overrides: command.args };
}

/** Declaration of a flag. */
export interface FlagDeclaration {
  /** Name with dashes: `--steps`. */
  readonly name: string;
  readonly value: "none" | "required" | "optional" | "pair";
  /** True if the value names a file or a folder. */
  readonly isPath: boolean;
}

/** Returns all flags of a script except `--help`. */
export function declaredFlags(): FlagDeclaration[] {
  return flagsOf(scriptCommand());
}

/** Returns the flags of a command line. */
export function flagsOf({ options }: Pick<Command, "options">): FlagDeclaration[] {
  return options.map(({ long, flags, required, optional }) => ({
    name: long!,
    value: takesPair(flags) ? "pair" : required ? "required" : optional ? "optional" : "none",
    isPath: /<(file|dir)>/.test(flags),
  }));
}

/** Returns the command line of a script, without parsing any. */
export function scriptCommand(): Pick<Command, "options"> {
  return createCommand({ command: "script", helpAfter: () => "", helpWidth: 100, write: () => {} });
}

/** Flags of a script with their help texts, for the reference. */
export function flagDocuments(): { flags: string; description: string }[] {
  return scriptCommand().options.map(({ flags, description }) => ({ flags, description }));
}

function createCommand({ command, helpAfter, helpWidth, write }: FlagsOptions) {
  return new Command(command)
    .description("Trains the variants of this scenario on the GPU and prints which is faster, by how much, and why.")
    .argument("[key=value...]", "setting for every variant, or a sweep: key=value1,value2 or key=8..32:8 (keys below)")
    .option(
      "--variants <names>",
      "run only these variants, separated by commas; a pattern such as 'b8-*' keeps the baseline",
      names("--variants"),
    )
    .option("--exclude <names>", "leave out these variants; a pattern keeps the baseline", names("--exclude"))
    .option("--steps <n>", "measured steps per block", wholeNumber("--steps", 1))
    .option("--skip <n>", "minimum number of warm-up steps", wholeNumber("--skip", 0))
    .option(
      "--rounds <n>",
      "measured blocks per variant; with --precision, the minimum",
      wholeNumber("--rounds", 1),
    )
    .option(
      "--precision <r>",
      "keep running until every interval is within this fraction (0.02 = +-2 %)",
      decimal("--precision", 0, { above: true }),
    )
    .option("--max-time <s>", "start no new round after this many seconds", decimal("--max-time", 0, { above: true }))
    .option("--min-effect <r>", "smallest difference to report (0.01 = 1 %)", decimal("--min-effect", 0))
    .addOption(MEASURE)
    .option("--no-aa", "omit the control arm, a second copy of the baseline that shows the noise floor")
    .option("--seed <n>", "seed of all random draws", wholeNumber("--seed", 0))
    .option("--data <dir>", "folder of the data set; the file of text(), tokens() or npz()")
    .addOption(VERBOSITY)
    .addOption(LOG)
    .option(
      "--profile-steps <a:b>",
      "profile steps a to b - 1, counted from 0 after the measured steps, which they do not change",
      stepWindow("--profile-steps"),
    )
    .addOption(GROUP_BY)
    .addOption(SORT)
    .addOption(TOP)
    .addOption(PIPELINE)
    .addOption(RAW)
    .addOption(ADVICE)
    .addOption(EXPLAIN)
    .addOption(DIFF)
    .addOption(DIFF_BY)
    .option("--bottleneck", "find what bounds each variant: measure ablations, the step without some of its parts")
    .option("--tune", "try the advice one setting at a time, keep what is faster, and print the ladder")
    .option("--tune-time <s>", "try no further setting after this many seconds", wholeNumber("--tune-time", 1))
    .option("--json <file>", "write the whole result as JSON; - for stdout, without other output")
    .option("--json-lines", "write events to stdout during the run, one JSON object per line, without other output")
    .option("--report <dir>", "write report.html, report.md, result.json, profile.csv and trace.json to a folder")
    .addOption(GATE)
    .addOption(GATE_UNDECIDED)
    .addOption(ANNOTATIONS)
    .addOption(JUNIT)
    .option("--store <dir>", "folder to keep the run in, instead of TACHO_STORE", folder("--store"))
    .option("--no-store", "do not keep this run")
    .option(
      "--resume [id]",
      "resume an interrupted run (default: the last one with the same settings)",
      runName("--resume"),
    )
    .option(
      "--shard <k/n>",
      "run part k of n of the variants, with the baseline, and keep it in NAME-k-of-n.tacho.jsonl for tacho merge; " +
        "auto/n takes k from a Slurm job array",
      shardRequest,
    )
    .option("--replicate <r>", "with --shard: run each variant in r shards", wholeNumber("--replicate", 1))
    .option(
      "--shard-dir <dir>",
      "with --shard: folder of the shard files (default: the current one)",
      folder("--shard-dir"),
    )
    .option("--list", "print the variants and their differences, and exit")
    .option("--dry-run", "print size, work and memory of each variant without running it, and exit")
    .option("--kernels", "with --dry-run: plan for AMD's GPUs, and add the kernels' WGSL to --json, for tacho isa")
    .option("--fit", "print the largest batch of each variant that fits in memory, like tacho fit, and exit")
    .option(
      "--adapter <name>",
      "use this adapter: low-power, high-performance, or part of its name, UUID or PCI address",
    )
    .option("--share-device", "with distribute: let ranks of a host use the same device")
    .option(
      "--settings-for <adapter>",
      "apply the scenario's settings for this adapter (a key of its adapters, or none) on any adapter",
      names("--settings-for"),
    )
    .option("--quiet", "print only warnings and errors to stderr")
    .option("--sandbox", "run with few permissions; only with tacho run")
    .option("--debug", "print a stack trace with errors")
    .option("--no-color", "print without colours")
    .helpOption("-h, --help", "print this help and exit")
    .addHelpText("after", helpAfter)
    .configureHelp({ helpWidth })
    .configureOutput({ writeOut: write, outputError: () => {} })
    .exitOverride();
}
