import { Option } from "@commander-js/extra-typings";
import { parseSteps } from "../../attach/settings.ts";
import { InputError } from "../../core/errors.ts";
import { splitCommand } from "../../programs/split_command.ts";
import { wholeNumber } from "../flag_values.ts";

/** Default time without a step after which a program fails, in seconds. */
export const TIMEOUT = 120;

export const STEPS = new Option(
  "--steps <how>",
  "how steps are found: auto, wait, submit:N or mark (default: auto)",
).argParser((text: string): string => {
  if (parseSteps(text) !== null) return text;
  throw new InputError(`--steps: expected auto, wait, submit:N or mark, got "${text}"`);
});

export const BLOCK = new Option("--block <n>", "steps per block").argParser(wholeNumber("--block", 1));

export const SKIP = new Option("--skip <n>", "minimum number of warm-up steps").argParser(wholeNumber("--skip", 0));

export const ROUNDS = new Option("--rounds <n>", "maximum number of rounds").argParser(wholeNumber("--rounds", 1));

export const SEED = new Option("--seed <n>", "seed of the order of the blocks (default: 1)")
  .argParser(wholeNumber("--seed", 0));

export const VARIANT = new Option("--variant <name>", "variant of the script (default: its baseline)");

export const WAIT = new Option("--timeout <seconds>", `longest time without a step (default: ${TIMEOUT})`)
  .argParser(wholeNumber("--timeout", 1));

export const SETUP = new Option("--setup <command>", "command to run in each checkout first, such as 'npm ci'")
  .argParser((text: string): readonly string[] => splitCommand(text).words);

/** Options of measured blocks. */
export interface BlockOptions {
  readonly block?: number | undefined;
  readonly skip?: number | undefined;
  readonly rounds?: number | undefined;
}

/** Returns the settings under `measure` that the options give. */
export function measureOf({ block, skip, rounds }: BlockOptions) {
  return {
    ...block === undefined ? {} : { steps: block },
    ...skip === undefined ? {} : { skip },
    ...rounds === undefined ? {} : { rounds },
  };
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
