import type { Result } from "../../result/schema.ts";
import type { CommandSpec } from "../../scenario/command.ts";
import type { ProgramSpec } from "../../scenario/program.ts";
import type { MeasureSettings } from "../../scenario/setting_types.ts";
import { measureScenario } from "../measure_scenario.ts";
import type { Watch } from "../measurement.ts";
import type { CommandRun } from "../watched_run.ts";

/** Programs and commands to compare, and how. */
export interface Versus {
  readonly programs: ReadonlyMap<string, ProgramSpec | CommandSpec>;
  readonly name: string;
  /** Name of the program that the others are compared with; null for the first. */
  readonly baseline: string | null;
  readonly seed: number;
  readonly measure: MeasureSettings;
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
  const { programs, name, baseline, seed, measure, store, report } = versus;
  const comparison = {
    ...{ name, measure, seed, programs: Object.fromEntries(programs) },
    ...baseline === null ? {} : { baseline },
  };
  const options = report === undefined ? { store } : { store, report };
  return await measureScenario(comparison, options, watch, { file: null, sha256: null }, command);
}
