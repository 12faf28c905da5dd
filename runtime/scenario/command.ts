import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { shown } from "../core/shown.ts";
import { positiveInteger } from "../data/checked.ts";
import { record } from "../data/kinds.ts";

/** Options of {@linkcode command}. */
export interface CommandOptions {
  /** Unit that a run or a step processes, in the plural. Default `runs`, or `steps` where lines end steps. */
  readonly unit?: string | undefined;
  /** Number of units that a run or a step processes. Default 1. */
  readonly perStep?: number | undefined;
  /**
   * `run` takes the whole run for a step. `stdout:/REGEX/` ends a step at each line on stdout with a match, and stops the
   * process between its blocks; a group `loss` is the loss of the step. Default `run`.
   */
  readonly steps?: string | undefined;
  /** Shell that runs the command lines, started before the clock; null for none. Default `sh`, on Windows `cmd`. */
  readonly shell?: string | null | undefined;
  /** Command before the first run. */
  readonly setup?: string | null | undefined;
  /** Command before each run, which is not timed. */
  readonly prepare?: string | null | undefined;
  /** Command after each run, which is not timed. */
  readonly conclude?: string | null | undefined;
  /** Command after the last run. */
  readonly cleanup?: string | null | undefined;
  /** Counts runs that end with another status than 0. Default false. */
  readonly ignoreFailure?: boolean | undefined;
  /** File that the command reads as its stdin. Default: an empty one. */
  readonly input?: string | null | undefined;
  /**
   * Output that is compared with the baseline's: `stdout`, or a file that a run writes. Text is compared by its numbers, and
   * so are JSON and NumPy's arrays; other files by their bytes. Default: none.
   */
  readonly output?: string | null | undefined;
  /** Working directory. Default: that of this process. */
  readonly cwd?: string | null | undefined;
  /** Environment variables, in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Longest time of a run, or without a step, in ms. Default 120000; for whole runs an hour. */
  readonly timeout?: number | undefined;
  /** Values of parameters in the command, for the columns of the matrix. */
  readonly parameters?: Readonly<Record<string, string | number>> | undefined;
}

/** A command to compare, as `command()` returns it. */
export interface CommandSpec {
  readonly kind: "command";
  readonly command: string | readonly string[];
  /** Null for the default, until the scenario is resolved. */
  readonly unit: string | null;
  readonly perStep: number;
  readonly steps: string;
  readonly shell: string | null;
  readonly setup: string | null;
  readonly prepare: string | null;
  readonly conclude: string | null;
  readonly cleanup: string | null;
  readonly ignoreFailure: boolean;
  readonly input: string | null;
  readonly output: string | null;
  readonly cwd: string | null;
  readonly env: Readonly<Record<string, string>>;
  /** Null for the default, until the scenario is resolved. */
  readonly timeout: number | null;
  readonly parameters: Readonly<Record<string, string | number>>;
}

/** Value of `steps` that takes the whole run for a step. */
export const WHOLE_RUN = "run";

/** Value of `output` that means the stdout of a run. */
export const STDOUT_OUTPUT = "stdout";

/** Units of commands that do not say what a run or a step holds. */
const [RUNS, STEPS] = ["runs", "steps"];

/** Longest time of a whole run, and without a step, in ms. */
const [RUN_TIMEOUT, STEP_TIMEOUT] = [3_600_000, 120_000];

const text = z.string({ error: "expected a text" });
const line = z.string({ error: "expected a command line, or null" }).min(1, {
  error: "expected a command line, got none",
})
  .nullable().default(null);
const path = z.string({ error: "expected a path, or null" }).nullable().default(null);

export const commandSchema = z.strictObject({
  kind: z.literal("command"),
  command: z.union([text.min(1), z.array(text).min(1)], {
    error: 'expected a command line such as "python3 train.py", or a list of its words',
  }),
  unit: text.regex(/^[A-Za-z][\w -]*$/, { error: "expected a unit in the plural, such as images" }).nullable()
    .default(null),
  perStep: positiveInteger.default(1),
  steps: text.default(WHOLE_RUN).superRefine((steps, context) => {
    if (steps === WHOLE_RUN) return;
    const problem = lineProblem(steps);
    if (problem !== null) context.addIssue({ code: "custom", message: problem });
  }),
  shell: text.min(1).nullable().default(Deno.build.os === "windows" ? "cmd" : "sh"),
  ...{ setup: line, prepare: line, conclude: line, cleanup: line },
  ignoreFailure: z.boolean({ error: "expected true or false" }).default(false),
  ...{ input: path, output: path, cwd: path },
  env: z.record(z.string(), text, { error: 'expected texts by name, such as { MODE: "fast" }' }).default({}),
  timeout: positiveInteger.nullable().default(null),
  parameters: z.record(z.string(), z.union([text, z.number()])).default({}),
});

/** A command with all its settings. */
export type CompleteCommand = CommandSpec & { readonly unit: string; readonly timeout: number };

/** Fills in the settings that depend on others. */
export function completeCommand(spec: CommandSpec): CompleteCommand {
  const isWhole = spec.steps === WHOLE_RUN;
  const { unit, timeout } = spec;
  return {
    ...spec,
    unit: unit ?? (isWhole ? RUNS : STEPS),
    timeout: timeout ?? (isWhole ? RUN_TIMEOUT : STEP_TIMEOUT),
  };
}

/** Returns the source of the expression in `stdout:/REGEX/`; null for anything else. */
export function lineOf(steps: string): string | null {
  return /^stdout:\/(.+)\/$/s.exec(steps)?.[1] ?? null;
}

/** Returns what is wrong with `steps` of a command other than `run`; null for nothing. */
export function lineProblem(steps: string): string | null {
  const source = lineOf(steps);
  if (source === null) return `expected run or stdout:/REGEX/, got "${steps}"`;
  try {
    new RegExp(source);
  } catch (error) {
    return `${source}: not a regular expression: ${(error as Error).message.split(": ").at(-1)}`;
  }
  return Deno.build.os === "linux" ? null : "steps from stdout need Linux, where a program can be stopped at a line";
}

/**
 * A command to be compared under `programs` of a scenario: any program, timed from its start to its end in a fresh process,
 * or in steps that lines on its stdout end.
 *
 * @param command command line for the shell, or a list of words to run without one
 *
 * @example
 * ```ts
 * import { command, run, scenario } from "@tacho/tacho";
 *
 * export default scenario({
 *   name: "compressors",
 *   programs: {
 *     gzip: command("gzip -k9 data", { prepare: "rm -f data.gz" }),
 *     zstd: command("zstd -kq19 data", { prepare: "rm -f data.zst" }),
 *   },
 *   measure: { steps: 1, skip: 1, rounds: 20 },
 * });
 *
 * if (import.meta.main) await run();
 * ```
 */
export function command(command: string | readonly string[], options: CommandOptions = {}): CommandSpec {
  if (typeof options !== "object" || options === null) {
    throw new InputError(`command(): expected a record of options, got ${shown(options)}`);
  }
  return record(commandSchema, { ...options, command });
}
