import { join } from "node:path";
import { InputError } from "../core/errors.ts";
import { writeFile } from "../core/files.ts";
import { printableJson } from "../core/printable.ts";
import type { Timeline } from "../record/timeline.ts";
import { renderMarkdown } from "../report/markdown/markdown.ts";
import type { ShownDiff } from "../report/op_diff/text.ts";
import { plotsOf, svgFile } from "../report/plots/plots.ts";
import { renderProfileCsv } from "../report/profile/csv.ts";
import { traceChunks, traceMeta } from "../report/trace/trace.ts";
import type { RunEvent } from "../result/run_event.ts";
import type { Result } from "../result/schema.ts";

/**
 * Creates the folder of a report if it does not exist.
 *
 * @param place place of the folder's name, for messages
 * @throws {InputError} if files cannot be written to it
 */
export async function checkFolder(folder: string, place: string): Promise<void> {
  if (folder === "") throw new InputError(`${place}: expected the name of a folder, got ""`);
  const probe = join(folder, `.tacho-${crypto.randomUUID()}`);
  try {
    await Deno.mkdir(folder, { recursive: true });
    writeFile(probe, "");
    await Deno.remove(probe);
  } catch (cause) {
    throw unwritable(folder, cause, place);
  }
}

/** Parts of a report besides the result. */
export interface ReportParts {
  /** Timelines for the trace; null omits the trace. */
  readonly timelines: readonly Timeline[] | null;
  /** Command line that produced the result; null if unknown. */
  readonly command: string | null;
  /** Differences by op for report.md. Default none. */
  readonly diffs?: readonly ShownDiff[];
}

/** Progress of a measurement whose report is being written. */
export const WRITING_REPORT: RunEvent = {
  type: "progress",
  variant: null,
  stage: "report",
  step: 0,
  steps: 0,
  fraction: 1,
};

/**
 * Writes the report files of a result to a folder, replacing those of an earlier run.
 *
 * @param place place of the folder's name, for messages
 * @throws {InputError} if the folder cannot be written
 */
export async function writeReport(
  folder: string,
  result: Result,
  { timelines, command, diffs = [] }: ReportParts,
  place: string,
): Promise<void> {
  try {
    writeFile(join(folder, "result.json"), `${printableJson(result)}\n`);
    writeFile(join(folder, "report.html"), await html(result, timelines ?? [], command));
    const plots = plotsOf(result);
    writeFile(join(folder, "report.md"), renderMarkdown(result, { command, diffs, plots }));
    if (plots.length > 0) await Deno.mkdir(join(folder, "plots"), { recursive: true });
    for (const plot of plots) writeFile(join(folder, "plots", `${plot.name}.svg`), svgFile(plot));
    writeFile(join(folder, "profile.csv"), renderProfileCsv(result));
    if (timelines === null) return;
    writeFile(
      join(folder, "trace.json"),
      inBlocks(traceChunks(timelines, traceMeta(result))),
    );
  } catch (cause) {
    throw unwritable(folder, cause, place);
  }
}

/** Renders the HTML page. Its code is loaded only now. */
async function html(result: Result, timelines: readonly Timeline[], command: string | null): Promise<string> {
  const { renderHtml } = await import("../report/html/report.ts");
  return renderHtml(result, { timelines, command });
}

function unwritable(folder: string, cause: unknown, place: string): InputError {
  const reason = cause instanceof Deno.errors.AlreadyExists || cause instanceof Deno.errors.NotADirectory
    ? "it is not a folder"
    : (cause as Error).message;
  return new InputError(`${place} ${folder}: cannot be written (${reason})`, { cause });
}

/** Joins pieces of text to blocks of about a megabyte, since many small writes would be slow. */
function* inBlocks(pieces: Iterable<string>): Generator<string> {
  let block: string[] = [];
  let length = 0;
  for (const piece of pieces) {
    block.push(piece);
    length += piece.length;
    if (length < 2 ** 20) continue;
    yield block.join("");
    block = [];
    length = 0;
  }
  yield block.join("");
}
