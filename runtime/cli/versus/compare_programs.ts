import { ExitStatus } from "../../core/errors.ts";
import { findAdapter } from "../../device/adapter.ts";
import { measurePrograms, type Versus } from "../../library/versus/measure_programs.ts";
import type { CommandRun } from "../../library/watched_run.ts";
import type { Result } from "../../result/schema.ts";
import { judge, readGatesOf } from "../gates.ts";
import { checkTarget, STDOUT, writeJson } from "../json_output.ts";
import { parseCommand } from "../parse_command.ts";
import { measureOf, measureOfRuns } from "../programs_flags.ts";
import { experimentArgs, withoutFlags } from "../repeat/experiment_args.ts";
import { flagsOf } from "../flags.ts";
import { resultText } from "../result_text.ts";
import { writeError, writeOut } from "../terminal.ts";
import { interruptible, type Watched, watched } from "../watched.ts";
import { type ComparedCommands, comparedCommands } from "./compared_commands.ts";
import { checkExports, exportsTo, writeExports } from "./exports.ts";
import { VERSUS } from "./kept_comparison.ts";
import { define, EXPORT_FLAGS, type VersusOptions } from "./versus_flags.ts";

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
  const compared = comparedCommands(command.args, options);
  const { specs: programs } = compared;
  if (options.json !== undefined) await checkTarget(options.json);
  await checkExports(options, compared);
  const gates = await readGatesOf(options, {
    scenario: nameOf(options),
    variants: [...programs.keys()],
    adapter: async () => (await findAdapter())?.info.name ?? null,
  });
  const own = withoutFlags(experimentArgs(args), EXPORT_FLAGS, flagsOf(command));
  const kept = { args: [VERSUS, ...own], resume, onKept: (line: string) => writeError(`${line}\n`) };
  const { result, interrupted } = await measure(compared, options, kept);
  if (result === null) return { status: ExitStatus.interrupted, result };
  const { color, gateUndecided, json } = options;
  if (!dataOnStdout(options)) writeOut(resultText(result, { pipeline: false, color }));
  if (json !== undefined) writeJson(json, result);
  writeExports(result, options, compared);
  if (interrupted) return { status: ExitStatus.interrupted, result };
  const judged = { scenario: VERSUS, file: null, gated: result, gates, result, command: null };
  return { status: await judge(judged, { color, gateUndecided, json }), result };
}

function nameOf({ name }: VersusOptions): string {
  return name ?? VERSUS;
}

function measure(
  { specs: programs, whole }: ComparedCommands,
  options: VersusOptions,
  command: CommandRun,
): Promise<Watched> {
  const title = `${VERSUS}: ${[...programs.keys()].join(", ")}`;
  const versus: Versus = {
    programs,
    name: nameOf(options),
    baseline: options.baseline ?? null,
    seed: options.seed ?? 1,
    measure: whole ? measureOfRuns(options) : measureOf(options),
    store: options.store ?? true,
    report: options.report,
  };
  return interruptible((signal) =>
    watched(
      title,
      { signal, dataOnStdout: dataOnStdout(options) },
      (watch) => measurePrograms(versus, watch, command),
    )
  );
}

/** Returns true if stdout takes data, so that nothing else is printed there. */
function dataOnStdout(options: VersusOptions): boolean {
  return options.json === STDOUT || exportsTo(options, STDOUT);
}
