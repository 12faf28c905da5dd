import { ExitStatus, InputError } from "../core/errors.ts";
import { suggestion } from "../core/nearest.ts";
import { COMMANDS } from "./commands/registry.ts";
import { exitStatusOf, printFailure } from "./failure.ts";
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
    writeOut(helpText());
    return ExitStatus.badInput;
  }
  if (name === "help" && rest[0] !== undefined) return await dispatch([rest[0], "--help"]);
  if (name === "help" || name === "--help" || name === "-h") {
    writeOut(helpText());
    return ExitStatus.ok;
  }
  if (name === "--version" || name === "-V") {
    const { TACHO_VERSION } = await import("../experiment/environment.ts");
    writeOut(`${TACHO_VERSION}\n`);
    return ExitStatus.ok;
  }
  const entry = COMMANDS.find((command) => command.name === name);
  if (entry !== undefined) return await (await entry.load()).run(rest, COMMANDS);
  const known = [...COMMANDS.map((command) => command.name), "help"];
  const what = name.startsWith("-") ? "flag before a command" : "command";
  throw new InputError(`tacho: unknown ${what} "${name}"${suggestion(name, known)}`);
}

function helpText(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length)) + 2;
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`);
  return `Usage: tacho COMMAND [arguments]

Runs scenarios and manages the kept runs.

Commands:
${lines.join("\n")}

Help on a command: tacho COMMAND --help

A run is named by its ID, by a unique beginning or end of the ID, by last for the latest run, or by
last~1, last~2, ... for the runs before it.

Examples:
  tacho run scripts/mlp.ts sink=0,10    run a sweep and keep the run
  tacho runs                            list the latest runs
  tacho show last --verbosity 1         print the last run again, with its phases
  tacho compare last~1 last             show the effect of the last change
  tacho history ips.baseline            show a metric over time

Environment:
  TACHO_STORE  folder of the kept runs (default: ~/.local/share/tacho)
  NO_COLOR     print without colours
`;
}
