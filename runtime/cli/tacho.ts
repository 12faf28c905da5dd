import { ExitStatus, InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";
import { COMMANDS } from "./commands/registry.ts";
import { exitStatusOf, printFailure } from "./failure.ts";
import { overview } from "./overview.ts";
import { outputStatus, writeOut } from "./terminal.ts";

/** Runs `tacho COMMAND ...` and returns the exit status. */
export async function tacho(args: readonly string[]): Promise<number> {
  try {
    return outputStatus(await dispatch(args));
  } catch (error) {
    printFailure(error, args.includes("--debug"));
    return exitStatusOf(error);
  }
}

async function dispatch([name, ...rest]: readonly string[]): Promise<number> {
  if (name === undefined) {
    writeOut(overview(COMMANDS));
    return ExitStatus.badInput;
  }
  if (name === "--help" || name === "-h") {
    writeOut(overview(COMMANDS));
    return ExitStatus.ok;
  }
  if (name === "--version" || name === "-V") {
    const { TACHO_VERSION } = await import("../experiment/environment.ts");
    writeOut(`${TACHO_VERSION}\n`);
    return ExitStatus.ok;
  }
  const entry = COMMANDS.find((command) => command.name === name);
  if (entry !== undefined) return await (await entry.load()).run(rest, COMMANDS);
  const what = name.startsWith("-") ? "flag before a command" : "command";
  throw new InputError(`tacho: unknown ${what} "${name}"${suggestion(name, COMMANDS.map(({ name }) => name))}`);
}
