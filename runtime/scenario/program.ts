import { z } from "zod";
import { parseSteps } from "../attach/settings.ts";
import { InputError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import { read } from "../core/readable.ts";
import { shown } from "../core/shown.ts";
import { INTERPRETED, positiveInteger } from "../data/checked.ts";
import { record } from "../data/kinds.ts";
import { checkCommand } from "../attach/programs/preloaded_command.ts";
import { splitCommand } from "../attach/programs/split_command.ts";
import { commandSchema, type CommandSpec, type CompleteCommand, completeCommand } from "./command.ts";
import { type Problem, problemsOf } from "./problems.ts";

/** Options of {@linkcode program}. */
export interface ProgramOptions {
  /** Unit that a step processes, in the plural: `images` gives `images/s`. Default `steps`. */
  readonly unit?: string | undefined;
  /** Number of units that a step processes. Default 1. */
  readonly perStep?: number | undefined;
  /** Rule that ends steps: `auto`, `wait`, `submit:N` or `mark`, as `--steps` of `tacho attach`. Default `auto`. */
  readonly steps?: string | undefined;
  /**
   * `cold` measures starts instead of steps: each block is a fresh process with empty shader caches, up to its first result.
   * Default `warm`.
   */
  readonly start?: "cold" | "warm" | undefined;
  /** Working directory of the program. Default: that of this process. */
  readonly cwd?: string | null | undefined;
  /** Environment variables, in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Longest time without a step in ms, after which the program fails. Default 120000. */
  readonly timeout?: number | undefined;
  /** Profiles the program in a further run after the measured blocks. Default true. */
  readonly profile?: boolean | undefined;
}

/** A program to compare, as `program()` returns it. */
export interface ProgramSpec {
  readonly kind: "program";
  readonly command: string | readonly string[];
  readonly unit: string;
  readonly perStep: number;
  readonly steps: string;
  readonly start: "cold" | "warm";
  readonly cwd: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly timeout: number;
  readonly profile: boolean;
}

/** A program or a command of a scenario that is ready to run. */
export interface ResolvedProgram<S extends ProgramSpec | CompleteCommand = ProgramSpec | CompleteCommand> {
  readonly name: string;
  readonly program: S;
  /** Words of the command: of a program, beginning with `deno`; of a command for a shell, its line as it is. */
  readonly words: readonly string[];
  /** Environment variables of the command line and of the options. */
  readonly env: Readonly<Record<string, string>>;
}

const text = z.string({ error: "expected a text" });

/** Environment variable that names the version of a program where two versions of one program are compared. */
export const VERSION_VARIABLE = "TACHO_VERSION";

/** Unit of programs that do not say what a step holds. */
export const PLAIN_UNIT = "steps";

const programSchema = z.strictObject({
  kind: z.literal("program"),
  command: z.union([text.min(1), z.array(text).min(1)], {
    error: 'expected a command such as "deno run -A train.ts", or a list of its words',
  }),
  unit: text.regex(/^[A-Za-z][\w -]*$/, { error: "expected a unit in the plural, such as images" }).default(PLAIN_UNIT),
  perStep: positiveInteger.default(1),
  steps: text.refine((steps) => parseSteps(steps) !== null, { error: "expected auto, wait, submit:N or mark" })
    .default("auto"),
  start: z.enum(["cold", "warm"], { error: 'expected "cold" or "warm"' }).default("warm"),
  cwd: z.string({ error: "expected the path of a folder, or null" }).nullable().default(null),
  env: z.record(z.string(), text, { error: 'expected texts by name, such as { MODE: "fast" }' }).default({}),
  timeout: positiveInteger.default(120_000),
  profile: z.boolean({ error: "expected true or false" }).default(true),
});

/**
 * A program that uses WebGPU in Deno, to be compared under `programs` of a scenario. It runs in a separate process, as it
 * is, and is held between blocks of steps. A program that reports losses calls
 * `performance.mark("step", { detail: { loss } })` at the end of each step.
 *
 * @param command command that begins with `deno`, split as a shell does, or a list of words
 *
 * @example
 * ```ts
 * import { program, run, scenario } from "@tacho/tacho";
 *
 * export default scenario({
 *   name: "libraries",
 *   programs: {
 *     tfjs: program("deno run -A tfjs.ts", { unit: "images", perStep: 32 }),
 *     jax: program("deno run -A jax.ts", { unit: "images", perStep: 32 }),
 *   },
 * });
 *
 * if (import.meta.main) await run();
 * ```
 */
export function program(command: string | readonly string[], options: ProgramOptions = {}): ProgramSpec {
  if (typeof options !== "object" || options === null) {
    throw new InputError(`program(): expected a record of options, got ${shown(options)}`);
  }
  return record(programSchema, { ...options, command });
}

/**
 * Checks the programs of a scenario. Returns them with the problems found.
 *
 * @param written copies of the records, see `readable`
 */
export function checkPrograms(
  written: Readonly<Record<string, unknown>>,
): { readonly programs: readonly ResolvedProgram[]; readonly problems: readonly Problem[] } {
  const programs: ResolvedProgram[] = [];
  const problems: Problem[] = [];
  for (const [name, given] of Object.entries(written)) {
    const path = ["programs", name];
    const { kind } = (given ?? {}) as { kind?: unknown };
    if (kind !== "program" && kind !== "command") {
      const message = `expected program("deno run ...") or command("..."), got ${shown(given)}`;
      problems.push({ path, message });
      continue;
    }
    const schema = kind === "program" ? programSchema : commandSchema;
    const result = read(path.join("."), () => schema.safeParse(given, INTERPRETED));
    if (!result.success) {
      const found = problemsOf(result.error, given, schema);
      problems.push(...found.map((problem) => ({ ...problem, path: [...path, ...problem.path] })));
      continue;
    }
    try {
      programs.push(resolveProgram(name, result.data));
    } catch (error) {
      if (!isInstance(error, InputError)) throw error;
      problems.push({ path: [...path, "command"], message: error.message });
    }
  }
  return { programs, problems };
}

function resolveProgram(name: string, program: ProgramSpec | CommandSpec): ResolvedProgram {
  const { command } = program;
  if (program.kind === "command") {
    const complete = completeCommand(program);
    if (typeof command !== "string") return { name, program: complete, words: command, env: program.env };
    if (program.shell !== null) return { name, program: complete, words: [command], env: program.env };
    const { words, env } = splitCommand(command);
    return { name, program: complete, words, env: { ...env, ...program.env } };
  }
  const { words, env } = typeof command === "string" ? splitCommand(command) : { words: command, env: {} };
  checkCommand("program()", words);
  return { name, program, words, env: { ...env, ...program.env } };
}
