import { checkCommand } from "../../attach/programs/preloaded_command.ts";
import type { SplitCommand } from "../../attach/programs/split_command.ts";
import type { Result } from "../../result/schema.ts";
import { program } from "../../scenario/program.ts";
import type { MeasureSettings } from "../../scenario/setting_types.ts";
import { measureScenario } from "../measure_scenario.ts";
import type { Watch } from "../measurement.ts";
import type { CommandRun } from "../watched_run.ts";

/** Programs to compare, and how. */
export interface Versus {
  readonly programs: ReadonlyMap<string, SplitCommand>;
  readonly name: string;
  /** Name of the program that the others are compared with; null for the first. */
  readonly baseline: string | null;
  readonly seed: number;
  readonly measure: MeasureSettings;
  readonly steps: string;
  /** Unit that a step processes, and the number of units. */
  readonly unit: string;
  readonly perStep: number;
  /** Longest time without a step, in ms. */
  readonly timeout: number;
  readonly store: boolean | string;
  readonly report: string | undefined;
}

/**
 * Compares programs by the procedure of a scenario. A program that fails does so alone.
 *
 * @param command command line that repeats the comparison
 * @throws {InputError} if a command does not run Deno, the baseline is unknown, or the run to resume has other settings
 * @throws {AbortedError} if the signal aborts; its `partial` is the result so far
 */
export async function measurePrograms(versus: Versus, watch: Watch, command: CommandRun): Promise<Result> {
  const { programs, name, baseline, seed, measure, store, report, ...settings } = versus;
  for (const { words } of programs.values()) checkCommand("tacho versus", words);
  const { unit, perStep, steps, timeout } = settings;
  const entries = [...programs].map(([name, { words, env }]) =>
    [name, program(words, { unit, perStep, steps, timeout, env })] as const
  );
  const comparison = {
    ...{ name, measure, seed, programs: Object.fromEntries(entries) },
    ...baseline === null ? {} : { baseline },
  };
  const options = report === undefined ? { store } : { store, report };
  return await measureScenario(comparison, options, watch, { file: null, sha256: null }, command);
}
