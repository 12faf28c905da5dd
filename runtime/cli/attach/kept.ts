import type { AttachResult } from "../../analysis/attach/result.ts";
import { attachResultSchema } from "../../analysis/attach/schema.ts";
import { shellWord } from "../../core/shell_word.ts";
import { renderAttached } from "../../report/attach/text.ts";
import { createPage, type LookOptions, renderSection } from "../../report/page.ts";
import { figures, type TableSpec, words } from "../../report/spec.ts";
import type { AttachedRun } from "../../store/attached_run.ts";
import { StoreError } from "../../store/problems.ts";
import type { Store } from "../../store/store.ts";
import { dateText } from "../commands/times.ts";
import { STDOUT, writeJson } from "../json_output.ts";
import { lookOfStdout, writeOut } from "../terminal.ts";

/** Default number of kernels in print. */
export const DEFAULT_TOP = 12;

/**
 * Prints a kept result again, and returns it.
 *
 * @param name `last`, an ID or a part of one
 */
export async function showAttached(
  store: Store,
  name: string,
  { top = DEFAULT_TOP, json, color }: {
    readonly top?: number | undefined;
    readonly json?: string | undefined;
    readonly color: boolean;
  },
): Promise<{ run: AttachedRun; result: AttachResult }> {
  const { run, result } = keptProgram(store, name);
  if (json !== STDOUT) {
    const head = `${run.id}, ${dateText(run.started)}: ${commandText(run.command)}`;
    writeOut(`${head}\n${renderAttached(result, lookOfStdout(color), top)}`);
  }
  if (json !== undefined) await writeJson(json, result);
  return { run, result };
}

/**
 * Returns the kept result of a program, by `last`, its ID or a part of one.
 *
 * @throws {StoreError} if it is damaged, or of another version of Tacho
 */
export function keptProgram(store: Store, name: string): { run: AttachedRun; result: AttachResult } {
  const { run, result } = store.attachedRun(name);
  const checked = attachResultSchema.safeParse(result);
  if (checked.success) return { run, result: checked.data };
  const [issue] = checked.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`;
  throw new StoreError(
    `The result of the attached program ${run.id} is damaged, or of another version of Tacho (${run.tacho})${place}: ` +
      `${issue?.message ?? "it cannot be read"}; attach to the program again`,
  );
}

/** Formats a command as a shell takes it. */
export function commandText(command: readonly string[]): string {
  return command.map(shellWord).join(" ");
}

/** Renders the list of kept programs. */
export function renderKept(runs: readonly AttachedRun[], look: LookOptions): string {
  const spec: TableSpec<AttachedRun> = {
    title: runs.length === 1 ? "1 attached program" : `${runs.length} attached programs`,
    columns: [
      words("id", ({ id }) => id),
      words("started", ({ started }) => dateText(started)),
      figures("status", ({ status }) => status, { format: String }),
      words("adapter", ({ adapter }) => adapter, { dropFirst: 1 }),
      words("command", ({ command }) => commandText(command), { cut: true }),
    ],
    rows: runs,
  };
  return `${renderSection(createPage(look), spec).join("\n")}\n`;
}
