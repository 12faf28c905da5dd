import type { Result } from "../result/schema.ts";
import { AbortedError } from "./aborted_error.ts";
import { type Connection, measureKept } from "./measure_kept.ts";
import type { MeasurementControls, Watch } from "./measurement.ts";
import { checkFolder, writeReport, WRITING_REPORT } from "./report_folder.ts";
import type { KeptWork } from "./retention.ts";
import { outsideTurn } from "./turn.ts";

/** A measurement that a command line repeats. */
export interface CommandRun {
  /** Name of the command of `tacho`, then its arguments. */
  readonly args: readonly string[];
  /** ID of a kept run to resume; null for a new one. */
  readonly resume: string | null;
  /** Called with the line that says how the run is kept. */
  readonly onKept: (line: string) => void;
}

/**
 * Measures in turn, keeps the run in the store and writes its report, if asked to. No script repeats the run: another call
 * may have other arguments.
 *
 * @param measure measures until `interrupted` returns true, and then returns the result so far
 * @param command command line that repeats the run; null if none does
 * @throws {AbortedError} if the signal aborts
 */
export async function measureWatched(
  spec: KeptWork["spec"],
  { store = false, report }: Pick<MeasurementControls, "store" | "report">,
  { signal, emit }: Watch,
  measure: (connection: Connection) => Promise<Result>,
  command: CommandRun | null = null,
): Promise<Result> {
  if (report !== undefined) await checkFolder(report, "report");
  const { result, line, timelines, settle } = await measureKept(
    { spec, script: null, modules: () => Promise.resolve([]), args: command?.args ?? [] },
    { store, required: true, resume: command?.resume ?? undefined },
    { emit: (event) => outsideTurn(() => emit(event)), timelines: report !== undefined, signal },
    measure,
  );
  await settle();
  if (line !== null) command?.onKept(line);
  if (report !== undefined) {
    if (command !== null) emit(WRITING_REPORT);
    await writeReport(report, result, { timelines, command: null }, "report");
  }
  if (signal.aborted) throw new AbortedError(result, signal.reason);
  return result;
}
