import { join } from "node:path";
import { attachTimelines } from "../../analysis/attach/timeline.ts";
import type { AttachResult } from "../../analysis/attach/result.ts";
import type { AttachRecord } from "../../attach/records.ts";
import { InputError } from "../../core/errors.ts";
import { writeFile } from "../../core/files.ts";
import { printableJson } from "../../core/printable.ts";
import { renderAttachedHtml } from "../../report/attach/html.ts";
import { renderAttachedMarkdown } from "../../report/attach/markdown.ts";
import { traceChunks } from "../../report/trace/trace.ts";

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
