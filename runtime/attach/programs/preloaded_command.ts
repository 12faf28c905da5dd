import { basename } from "node:path";
import { InputError } from "../../core/errors.ts";
import { splitFlags } from "./deno_flags.ts";
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

/** Commands of Tacho that run programs, each with an example for messages. */
const EXAMPLES = {
  "program()": 'program("deno run -A program.ts")',
  "tacho attach": "tacho attach -- deno run -A program.ts",
  "tacho versus": 'tacho versus "deno run -A a.ts" "deno run -A b.ts"',
} as const;

type ProgramTool = keyof typeof EXAMPLES;

/** A command that runs a program. */
export interface ProgramCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/** Module to load before a program. */
export interface PreloadedModule {
  /** Specifier of the module, with its settings. */
  readonly specifier: string;
  /** Folder that the module writes to. */
  readonly folder: string;
}

/**
 * Adds a module to a command line of Deno, to be loaded before the program.
 *
 * @param tool command of Tacho, for messages
 * @throws {InputError} if the command does not run Deno
 */
export function preloadedCommand(
  tool: ProgramTool,
  command: readonly string[],
  { specifier, folder }: PreloadedModule,
): ProgramCommand {
  const { program, subcommand, rest } = parseCommand(tool, command);
  const allowed = mayWrite(subcommand, rest) ? [] : [`--allow-write=${folder}`];
  return { program, args: [subcommand, "--preload", specifier, ...allowed, ...rest] };
}

/** @throws {InputError} if a command does not run Deno with a program */
export function checkCommand(tool: ProgramTool, command: readonly string[]): void {
  parseCommand(tool, command);
}

function parseCommand(tool: ProgramTool, command: readonly string[]) {
  const [program = "", ...args] = command;
  if (!/^deno(\.exe)?$/.test(basename(program))) {
    throw new InputError(
      `${tool}: expected a command that begins with ${
        tool === "tacho attach" ? "deno or node" : "deno"
      }, got "${program}"; for example: ${EXAMPLES[tool]}`,
    );
  }
  return { program, ...splitSubcommand(tool, args) };
}

/** Splits the subcommand from the arguments; `deno program.ts` means `deno run program.ts`. */
function splitSubcommand(
  tool: ProgramTool,
  args: readonly string[],
): { subcommand: string; rest: readonly string[] } {
  const [first = "", ...rest] = args;
  if (SUBCOMMANDS.includes(first)) return { subcommand: first, rest };
  if (first === "serve") return { subcommand: "run", rest: servedProgram(tool, rest) };
  if (first === "" || OTHERS.has(first)) {
    throw new InputError(
      `${tool}: expected deno ${SUBCOMMANDS.join(", ")}, serve or a program, got "deno${first && ` ${first}`}"`,
    );
  }
  return { subcommand: "run", rest: args };
}

/** Returns true if the program may write everywhere, also in the folder for the records. */
function mayWrite(subcommand: string, args: readonly string[]): boolean {
  // Flags of deno test and deno bench may also follow the files
  const written = subcommand === "run"
    ? splitFlags(args).flags.flatMap(({ written }) => written)
    : args.slice(0, args.includes("--") ? args.indexOf("--") : undefined);
  return written.some((flag) =>
    /^(-A|--allow-all|--allow-write|-W|-[a-zA-Z]*[AW][a-zA-Z]*|-P.*|--permission-set.*)$/.test(flag)
  );
}
