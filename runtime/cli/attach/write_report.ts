import { join } from "node:path";
import { attachTimelines } from "../../analysis/attach/timeline.ts";
import type { AttachResult } from "../../analysis/attach/result.ts";
import type { AttachRecord } from "../../attach/records.ts";
import { InputError } from "../../core/errors.ts";
import { printableJson } from "../../core/printable.ts";
import { renderAttachedHtml } from "../../report/attach/html.ts";
import { renderAttachedMarkdown } from "../../report/attach/markdown.ts";
import { traceChunks } from "../../report/trace/trace.ts";

/**
 * Writes the report of a program to a folder: page, Markdown, result, and the trace where there are records.
 *
 * @throws {InputError} if the folder cannot be written
 */
export async function writeAttachReport(
  folder: string,
  { result, command, records }: {
    readonly result: AttachResult;
    readonly command: string;
    readonly records: readonly (readonly AttachRecord[])[] | null;
  },
): Promise<void> {
  try {
    await Deno.writeTextFile(join(folder, "result.json"), `${printableJson(result)}\n`);
    await Deno.writeTextFile(join(folder, "report.html"), renderAttachedHtml(result, command));
    await Deno.writeTextFile(join(folder, "report.md"), renderAttachedMarkdown(result, command));
    if (records === null) return;
    const adapter = result.devices[0]?.adapter ?? null;
    const trace = traceChunks(attachTimelines(records), { command, adapter });
    await Deno.writeTextFile(join(folder, "trace.json"), [...trace].join(""));
  } catch (cause) {
    throw new InputError(`--report ${folder}: cannot be written (${(cause as Error).message})`, { cause });
  }
}
