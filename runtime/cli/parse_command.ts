import { type Command, CommanderError } from "@commander-js/extra-typings";
import { ExitStatus, InputError } from "../core/errors.ts";
import type { CommandEntry } from "./commands/command.ts";
import { nearest, suggestion } from "../core/nearest.ts";
import { takesPair } from "./flag_values.ts";

/** Argument of a command after which the flags of a script follow, in its usage. */
const FLAGS_AFTER = /[<[](script|run)[>\]] \[(?:flags|args|arguments|settings)\.\.\.\]/;

/** The part of a command that parsing uses. */
interface Parsed extends Pick<Command, "options"> {
  name(): string;
  usage(): string;
  parse(args: readonly string[], from: { from: "user" }): unknown;
}

/**
 * Parses the arguments of a command that throws instead of exiting. Writes the help and returns false if they ask for it.
 *
 * @throws {InputError} if a flag is unknown, or its value is missing or wrong
 */
export function parseCommand(command: Parsed, args: readonly string[]): boolean {
  checkValues(command, args);
  const split = splitPairs(command, args);
  try {
    command.parse(split, { from: "user" });
    return true;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === "commander.helpDisplayed") return false;
    throw readable(error, command);
  }
}

/** A command, whose types of options and arguments its declaration has. */
interface Declared extends Parsed {
  readonly processedArgs: readonly unknown[];
  opts(): object;
}

/**
 * Returns the `run` of a command's module: parses its arguments, and calls `action` unless they ask for help. The exit
 * status is 0 unless `action` returns another one.
 */
export function runOf<C extends Declared>(
  define: () => C,
  action: (
    options: ReturnType<C["opts"]>,
    args: C["processedArgs"],
    command: C,
    commands: readonly CommandEntry[],
  ) => number | void | Promise<number | void>,
): (args: readonly string[], commands?: readonly CommandEntry[]) => Promise<number> {
  return async (args, commands = []) => {
    const command = define();
    if (!parseCommand(command, args)) return ExitStatus.ok;
    return await action(command.opts() as ReturnType<C["opts"]>, command.processedArgs, command, commands) ??
      ExitStatus.ok;
  };
}

/** Rejects a flag as the value of another, which Commander accepts: `--json --quiet` would write a file `--quiet`. */
function checkValues({ options }: Parsed, args: readonly string[]): void {
  const end = args.indexOf("--");
  args.slice(0, end < 0 ? undefined : end).forEach((flag, i) => {
    const next = args[i + 1] ?? "";
    if (!options.some(({ long, short, required }) => required && (flag === long || flag === short))) return;
    const taken = options.some(({ long }) => long !== undefined && (next === long || next.startsWith(`${long}=`)));
    if (taken) throw new InputError(`${flag}: expected a value, got the flag ${next}`);
  });
}

/** Writes `--diff A B` as `--diff=A --diff=B`, since Commander takes one value or any number. */
function splitPairs({ options }: Parsed, args: readonly string[]): string[] {
  const flags = options.filter(({ flags }) => takesPair(flags)).map(({ long }) => long);
  const split: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === "--") return [...split, ...args.slice(i)];
    if (!flags.includes(arg)) {
      split.push(arg);
      continue;
    }
    const values = args.slice(i + 1, i + 3).filter((value) => !value.startsWith("--"));
    if (values.length < 2) {
      throw new InputError(`${arg}: expected two names, as in ${arg} baseline sink, got ${values.join(" ") || "none"}`);
    }
    split.push(...values.map((value) => `${arg}=${value}`));
    i += 2;
  }
  return split;
}

/** Rewrites an error of Commander in Tacho's style, with the nearest flag. */
function readable(error: CommanderError, command: Parsed): InputError {
  const known = command.options.flatMap(({ long }) => long ?? []);
  const flag = error.message.match(/'(-[^\s']+)/)?.[1];
  if (error.code === "commander.unknownOption" && flag !== undefined) {
    const [name = flag] = flag.split("=");
    if (known.includes(name)) return new InputError(`${name}: takes no value, got "${flag.slice(name.length + 1)}"`);
    const close = nearest(name, [...known, "--help"]);
    const before = command.usage().match(FLAGS_AFTER)?.[1];
    if (close === undefined && before !== undefined) {
      const line = `${command.name()} ${before.toUpperCase()} ${name}`;
      return new InputError(`Unknown flag ${name}; a flag for the script comes after the ${before}: ${line}`);
    }
    return new InputError(`Unknown flag ${name}${suggestion(name, [...known, "--help"])}`);
  }
  if (error.code === "commander.optionMissingArgument" && flag !== undefined) {
    return new InputError(`${flag}: expected a value`);
  }
  const missing = error.message.match(/^error: missing required argument '(.*)'$/)?.[1];
  if (missing !== undefined) {
    return new InputError(
      `${command.name()}: expected <${missing}>, got nothing; usage: ${command.name()} ${command.usage()}`,
    );
  }
  const text = error.message.replace(/^error: /, "");
  return new InputError(error.code === "commander.excessArguments" ? `${command.name()}: ${text}` : text);
}
