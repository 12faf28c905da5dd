import { basename } from "node:path";
import { withQuery } from "../../attach/deno/query.ts";
import { MAIN_REALM } from "../../attach/records.ts";
import type { RecorderSettings } from "../../attach/settings.ts";
import { InputError } from "../../core/errors.ts";
import { servedProgram } from "./served_program.ts";

/** Subcommands of Deno that load modules before the program. */
const SUBCOMMANDS = ["run", "test", "bench"];

/** Subcommands of Deno that run no program. */
const OTHERS = new Set(
  "add audit cache check clean compile completions coverage doc eval fmt help info init install "
    .concat("jupyter lint lsp outdated pack publish remove repl task types uninstall update upgrade vendor x").split(
      " ",
    ),
);

/** A command that runs a program. */
export interface ProgramCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/**
 * Adds the recorder to a command line of Deno.
 *
 * @param folder folder for the records
 * @throws {InputError} if the command does not run Deno
 */
export function recordedCommand(
  command: readonly string[],
  folder: string,
  settings: RecorderSettings,
): ProgramCommand {
  const [program = "", ...args] = command;
  if (!/^deno(\.exe)?$/.test(basename(program))) {
    throw new InputError(
      `tacho attach: expected a command that begins with deno, got "${program}"; for example: ` +
        "tacho attach -- deno run -A program.ts",
    );
  }
  const { subcommand, rest } = splitSubcommand(args);
  const preload = withQuery(import.meta.resolve("../../attach/deno/preload.ts"), {
    folder,
    realm: MAIN_REALM,
    settings,
  });
  return {
    program,
    args: [subcommand, "--preload", preload, ...mayWrite(rest) ? [] : [`--allow-write=${folder}`], ...rest],
  };
}

/** Splits the subcommand from the arguments; `deno program.ts` means `deno run program.ts`. */
function splitSubcommand(args: readonly string[]): { subcommand: string; rest: readonly string[] } {
  const [first = "", ...rest] = args;
  if (SUBCOMMANDS.includes(first)) return { subcommand: first, rest };
  if (first === "serve") return { subcommand: "run", rest: servedProgram(rest) };
  if (first === "" || OTHERS.has(first)) {
    throw new InputError(
      `tacho attach: expected deno ${SUBCOMMANDS.join(", ")}, serve or a program, got "deno${first && ` ${first}`}"`,
    );
  }
  return { subcommand: "run", rest: args };
}

/** Returns true if the program may write everywhere, also in the folder for the records. */
function mayWrite(args: readonly string[]): boolean {
  const flags = args.slice(0, args.includes("--") ? args.indexOf("--") : undefined);
  return flags.some((flag) =>
    /^(-A|--allow-all|--allow-write|-W|-[a-zA-Z]*[AW][a-zA-Z]*|-P.*|--permission-set.*)$/.test(flag)
  );
}
