import type { AttachResult } from "../../result/attach_result.ts";
import { attachTimelines } from "../../analysis/attach/timeline.ts";
import type { AttachRecord } from "../../attach/records.ts";
import { InputError } from "../../core/errors.ts";
import { writeFile } from "../../core/files.ts";
import { printableJson } from "../../core/printable.ts";
import { TACHO_VERSION } from "../../experiment/environment.ts";
import { commandText } from "../../library/kept/attached_table.ts";
import { renderAttachedHtml } from "../../report/attach/html.ts";
import { renderAttached, renderAttachedMarkdown } from "../../report/attach/text.ts";
import { traceChunks } from "../../report/trace/trace.ts";
import type { AttachedRun } from "../../store/attached_run.ts";
import { storeFolder } from "../../store/folder.ts";
import { openStore } from "../../store/store.ts";
import { STDOUT, writeJson } from "../json_output.ts";
import { lookOfStderr, lookOfStdout, warn, writeError, writeOut } from "../terminal.ts";
import { DEFAULT_TOP } from "./kept.ts";
import { join } from "node:path";

/** Where a result goes. */
export interface Destinations {
  readonly top?: number | undefined;
  readonly json?: string | undefined;
  readonly report?: string | undefined;
  readonly color: boolean;
  /** Folder of the store, if not the default one; false to keep nothing. */
  readonly store?: string | false | undefined;
}

/**
 * Prints the result of a program or page, writes it to files and keeps it.
 *
 * @param run facts for the store; null to print a result on stdout and keep nothing
 */
export function deliver(
  result: AttachResult,
  records: readonly (readonly AttachRecord[])[],
  run: Pick<AttachedRun, "started" | "ended" | "status" | "command"> | null,
  { top = DEFAULT_TOP, json, report, color, store }: Destinations,
): void {
  if (run !== null) writeError(renderAttached(result, lookOfStderr(color), top));
  else if (json !== STDOUT) writeOut(renderAttached(result, lookOfStdout(color), top));
  if (json !== undefined) writeJson(json, result);
  const command = run === null ? result.browser?.url ?? "recording" : commandText(run.command);
  if (report !== undefined) writeAttachReport(report, { result, command, records });
  if (run !== null && store !== false) keep(store, run, result);
}

/** Keeps a result. A store that cannot be written is no reason to lose the program's status. */
function keep(
  place: string | undefined,
  run: Pick<AttachedRun, "started" | "ended" | "status" | "command">,
  result: AttachResult,
): void {
  try {
    using store = openStore(storeFolder(place));
    const versions = { tacho: TACHO_VERSION, deno: Deno.version.deno };
    const adapter = result.devices[0]?.adapter ?? null;
    const id = store.keepAttached({ ...run, ...versions, cwd: Deno.cwd(), adapter }, result);
    writeError(`attach: kept as ${id}; tacho attach --show ${id} prints it again\n`);
  } catch (error) {
    warn(`not kept: ${(error as Error).message}`);
  }
}

/**
 * Writes the report of a program to a folder: page, Markdown, result, and the trace where there are records.
 *
 * @throws {InputError} if the folder cannot be written
 */
export function writeAttachReport(
  folder: string,
  { result, command, records }: {
    readonly result: AttachResult;
    readonly command: string;
    readonly records: readonly (readonly AttachRecord[])[] | null;
  },
): void {
  try {
    writeFile(join(folder, "result.json"), `${printableJson(result)}\n`);
    writeFile(join(folder, "report.html"), renderAttachedHtml(result, command));
    writeFile(join(folder, "report.md"), renderAttachedMarkdown(result, command));
    if (records === null) return;
    const adapter = result.devices[0]?.adapter ?? null;
    const trace = traceChunks(attachTimelines(records), { command, adapter });
    writeFile(join(folder, "trace.json"), trace);
  } catch (cause) {
    throw new InputError(`--report ${folder}: cannot be written (${(cause as Error).message})`, { cause });
  }
}
