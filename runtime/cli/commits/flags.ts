import { InputError } from "../../core/errors.ts";
import { splitCommand } from "../../attach/programs/split_command.ts";
import { createCommand, type Usage } from "../commands/command.ts";
import { wholeNumber } from "../flag_values.ts";
import { measureOf, PROCESSES_HELP, STEP_TIMEOUT, STEPS_HELP, stepsText } from "../programs_flags.ts";

/** Creates a command that runs a workload in several versions, with the options that such commands share. */
export function createVersionCommand(usage: Usage) {
  return createCommand(usage)
    .option("--variant <name>", "variant of the script (default: its baseline)")
    .option("--steps <how>", STEPS_HELP, stepsText)
    .option("--block <n>", "steps per block", wholeNumber("--block", 1))
    .option("--skip <n>", "minimum number of warm-up steps", wholeNumber("--skip", 0))
    .option("--rounds <n>", "maximum number of rounds", wholeNumber("--rounds", 1))
    .option("--processes <n>", PROCESSES_HELP, wholeNumber("--processes", 1))
    .option("--seed <n>", "seed of the order of the blocks (default: 1)", wholeNumber("--seed", 0))
    .option(
      "--timeout <seconds>",
      `longest time without a step (default: ${STEP_TIMEOUT})`,
      wholeNumber("--timeout", 1),
    )
    .option(
      "--setup <command>",
      "command to run in each checkout first, such as 'npm ci'",
      (text): readonly string[] => splitCommand(text).words,
    );
}

/** Values of the options that {@linkcode createVersionCommand} adds, and `--no-store`. */
type VersionOptions = Omit<ReturnType<ReturnType<typeof createVersionCommand>["opts"]>, "store"> & {
  readonly store?: boolean | string | undefined;
};

/** Returns the settings of a comparison that the options give, with their defaults. */
export function comparisonOf(
  { variant, steps = "auto", seed = 1, timeout = STEP_TIMEOUT, store = true, ...options }: VersionOptions,
) {
  const measure = measureOf(options);
  return { variant: variant ?? null, steps, measure, seed, timeout: 1000 * timeout, store };
}

/**
 * Splits the arguments at `--`.
 *
 * @throws {InputError} if nothing follows it
 */
export function splitArguments(
  tool: string,
  args: readonly string[],
  example: string,
): { own: readonly string[]; words: readonly string[] } {
  const at = args.indexOf("--");
  const own = at < 0 ? args : args.slice(0, at);
  const words = at < 0 ? [] : args.slice(at + 1);
  const asksForHelp = own.includes("--help") || own.includes("-h");
  if (words.length > 0 || asksForHelp) return { own, words };
  throw new InputError(`${tool}: expected -- and a script or a command, such as: ${example}`);
}
