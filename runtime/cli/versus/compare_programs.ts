import { ExitStatus, InputError } from "../../core/errors.ts";
import { findAdapter } from "../../device/adapter.ts";
import { measurePrograms, type Versus } from "../../library/versus/measure_programs.ts";
import type { CommandRun } from "../../library/watched_run.ts";
import { type SplitCommand, splitCommand } from "../../attach/programs/split_command.ts";
import type { Result } from "../../result/schema.ts";
import { SLUG, SLUG_RULE } from "../../scenario/slug.ts";
import { folder, wholeNumber } from "../flag_values.ts";
import { GATE, GATE_UNDECIDED } from "../gate_flags.ts";
import { judge, readGatesOf } from "../gates.ts";
import { checkTarget, STDOUT, writeJson } from "../json_output.ts";
import { parseCommand } from "../parse_command.ts";
import { measureOf, PROCESSES_HELP, STEP_TIMEOUT, STEPS_HELP, stepsText } from "../programs_flags.ts";
import { experimentArgs } from "../repeat/experiment_args.ts";
import { resultText } from "../result_text.ts";
import { writeError, writeOut } from "../terminal.ts";
import { interruptible, type Watched, watched } from "../watched.ts";
import { createCommand } from "../commands/command.ts";
import { VERSUS } from "./kept_comparison.ts";

export const define = () =>
  createCommand({
    name: VERSUS,
    description:
      "Compares programs that use WebGPU in Deno. Each runs in a separate process and is held between blocks " +
      "of steps, so that blocks interleave as those of a scenario's variants do. Programs stay as they are; one that " +
      'reports losses does so with performance.mark("step", { detail: { loss } }). Their stdout is discarded.',
    examples: [
      ['tacho versus "deno run -A a.ts" "deno run -A b.ts"', "compare two programs; steps are found where they repeat"],
      [
        'tacho versus --steps mark a="deno run -A a.ts" b="deno run -A b.ts"',
        'name the programs; steps end at performance.mark("step")',
      ],
      [
        'tacho versus --gate "speedup.b>=1.1" "deno run -A a.ts" "deno run -A b.ts"',
        "fail unless the second program is 10 % faster",
      ],
      ['tacho versus --unit images --per-step 32 "deno run -A a.ts" "deno run -A b.ts"', "print images/s"],
    ],
  })
    .argument("<commands...>", "commands that begin with deno, each in quotes; NAME=COMMAND names a program")
    .option("--steps <how>", STEPS_HELP, stepsText)
    .option("--block <n>", "steps per block (default: 5)", wholeNumber("--block", 1))
    .option("--skip <n>", "minimum number of warm-up steps (default: 3)", wholeNumber("--skip", 0))
    .option("--rounds <n>", "maximum number of rounds", wholeNumber("--rounds", 1))
    .option("--processes <n>", PROCESSES_HELP, wholeNumber("--processes", 1))
    .option("--unit <units>", "unit that a step processes, in the plural (default: steps)")
    .option("--per-step <n>", "units that a step processes (default: 1)", wholeNumber("--per-step", 1))
    .option("--baseline <name>", "program that the others are compared with (default: the first)")
    .option("--name <name>", "name of the comparison in the store (default: versus)")
    .option("--seed <n>", "seed of the order of the blocks (default: 1)", wholeNumber("--seed", 0))
    .option(
      "--timeout <seconds>",
      `longest time without a step (default: ${STEP_TIMEOUT})`,
      wholeNumber("--timeout", 1),
    )
    .addOption(GATE)
    .addOption(GATE_UNDECIDED)
    .option("--report <dir>", "write a page, Markdown, CSV and JSON to this folder", folder("--report"))
    .option("--json <file>", "write the whole result as JSON; - for stdout")
    .option("--no-store", "do not keep the result");

type Options = ReturnType<ReturnType<typeof define>["opts"]>;

/** Outcome of a comparison. */
export interface Compared {
  /** That of the first program that failed, 1 if a gate fails, 130 after an interrupt, else 0. */
  readonly status: number;
  /** Result; null after `--help`, and if nothing was measured. */
  readonly result: Result | null;
}

/**
 * Compares the programs of a command line, and prints the result.
 *
 * @param resume ID of the kept run to resume; null for a new one
 * @throws {InputError} if the command line is wrong, or the run to resume has other settings
 */
export async function comparePrograms(args: readonly string[], resume: string | null = null): Promise<Compared> {
  const command = define();
  if (!parseCommand(command, args)) return { status: ExitStatus.ok, result: null };
  const options = command.opts();
  const programs = namePrograms(command.args);
  if (options.json !== undefined) await checkTarget(options.json);
  const gates = await readGatesOf(options, {
    scenario: nameOf(options),
    variants: [...programs.keys()],
    adapter: async () => (await findAdapter())?.info.name ?? null,
  });
  const kept = { args: [VERSUS, ...experimentArgs(args)], resume, onKept: (line: string) => writeError(`${line}\n`) };
  const { result, interrupted } = await measure(programs, options, kept);
  if (result === null) return { status: ExitStatus.interrupted, result };
  const { color, gateUndecided, json } = options;
  if (json !== STDOUT) writeOut(resultText(result, { pipeline: false, color }));
  if (json !== undefined) writeJson(json, result);
  if (interrupted) return { status: ExitStatus.interrupted, result };
  const judged = { scenario: VERSUS, file: null, gated: result, gates, result, command: null };
  return { status: await judge(judged, { color, gateUndecided, json }), result };
}

function nameOf({ name }: Options): string {
  return name ?? VERSUS;
}

function measure(
  programs: ReadonlyMap<string, SplitCommand>,
  options: Options,
  command: CommandRun,
): Promise<Watched> {
  const title = `${VERSUS}: ${[...programs.keys()].join(", ")}`;
  const versus: Versus = {
    programs,
    name: nameOf(options),
    baseline: options.baseline ?? null,
    seed: options.seed ?? 1,
    measure: measureOf(options),
    steps: options.steps ?? "auto",
    unit: options.unit ?? "steps",
    perStep: options.perStep ?? 1,
    timeout: 1000 * (options.timeout ?? STEP_TIMEOUT),
    store: options.store ?? true,
    report: options.report,
  };
  return interruptible((signal) =>
    watched(
      title,
      { signal, dataOnStdout: options.json === STDOUT },
      (watch) => measurePrograms(versus, watch, command),
    )
  );
}

/** Options in place of settings that scenarios have. */
const OPTION_OF: Readonly<Record<string, string>> = {
  "measure.steps": "--block",
  "measure.skip": "--skip",
  "measure.rounds": "--rounds",
  "measure.processes": "--processes",
};

/** @throws {InputError} if a word sets a setting of scenarios, there are fewer than two programs, or a name is wrong or occurs twice */
function namePrograms(commands: readonly string[]): Map<string, SplitCommand> {
  for (const text of commands) {
    const [, key, value] = /^([a-zA-Z]+(?:\.[a-zA-Z]+)+)=(\S*)$/.exec(text) ?? [];
    if (key === undefined) continue;
    const option = OPTION_OF[key];
    const instead = option === undefined ? "programs keep theirs; see tacho versus --help" : `use ${option} ${value}`;
    throw new InputError(`tacho versus: ${key} is a setting of scenarios; ${instead}`);
  }
  if (commands.length < 2) throw new InputError("tacho versus: expected two commands or more, each in quotes");
  const programs = new Map<string, SplitCommand>();
  for (const [i, text] of commands.entries()) {
    const { name, command } = /^(?<name>[^\s=]+)=(?<command>deno\s.*)$/s.exec(text)?.groups ?? {};
    const chosen = name ?? String.fromCharCode("a".charCodeAt(0) + i);
    if (!SLUG.test(chosen)) throw new InputError(`tacho versus: name "${chosen}": expected ${SLUG_RULE}`);
    if (programs.has(chosen)) {
      throw new InputError(`tacho versus: two programs have the name "${chosen}"; name each: NAME="deno run ..."`);
    }
    programs.set(chosen, splitCommand(command ?? text));
  }
  return programs;
}
