import { shellWord } from "../../core/shell_word.ts";
import { figures, type TableSpec, words } from "../../report/spec.ts";
import type { AttachedRun } from "../../store/attached_run.ts";
import { dateText } from "./date_text.ts";

/** Table of attached programs. */
export function attachedTable(runs: readonly AttachedRun[]): TableSpec<AttachedRun> {
  return {
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
}

/** Formats a command as a shell takes it. */
export function commandText(command: readonly string[]): string {
  return command.map(shellWord).join(" ");
}
