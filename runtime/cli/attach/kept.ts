import type { AttachResult } from "../../result/attach_result.ts";
import { attachedTable, commandText } from "../../library/kept/attached_table.ts";
import { dateText } from "../../library/kept/date_text.ts";
import { keptProgram } from "../../library/kept/kept_program.ts";
import { renderAttached } from "../../report/attach/text.ts";
import { createPage, type LookOptions, renderSection } from "../../report/page.ts";
import type { AttachedRun } from "../../store/attached_run.ts";
import type { Store } from "../../store/store.ts";
import { STDOUT, writeJson } from "../json_output.ts";
import { lookOfStdout, writeOut } from "../terminal.ts";

/** Default number of kernels in print. */
export const DEFAULT_TOP = 12;

/**
 * Prints a kept result again, and returns it.
 *
 * @param name `last`, an ID or a part of one
 */
export function showAttached(
  store: Store,
  name: string,
  { top = DEFAULT_TOP, json, color }: {
    readonly top?: number | undefined;
    readonly json?: string | undefined;
    readonly color: boolean;
  },
): { run: AttachedRun; result: AttachResult } {
  const { run, result } = keptProgram(store, name);
  if (json !== STDOUT) {
    const head = `${run.id}, ${dateText(run.started)}: ${commandText(run.command)}`;
    writeOut(`${head}\n${renderAttached(result, lookOfStdout(color), top)}`);
  }
  if (json !== undefined) writeJson(json, result);
  return { run, result };
}

/** Renders the list of kept programs. */
export function renderKept(runs: readonly AttachedRun[], look: LookOptions): string {
  return `${renderSection(createPage(look), attachedTable(runs)).join("\n")}\n`;
}
