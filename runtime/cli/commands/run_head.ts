import { basename } from "node:path";
import { shellWord } from "../../core/shell_word.ts";
import { dateText } from "../../library/kept/date_text.ts";
import { formatClock } from "../../report/format.ts";
import { printable } from "../../report/plain_text.ts";
import { wrap } from "../../report/wrap.ts";
import type { RunRecord } from "../../store/records.ts";
import { lookOfStdout, PROSE_WIDTH } from "../terminal.ts";

/** Renders the lines that identify a run. */
export function runHead(run: RunRecord): string {
  const { id, status, started, ended, script, args, resumed, git, message, environment } = run;
  const facts = [
    `run ${id}`,
    dateText(started),
    status,
    ended === null ? null : formatClock(ended - started),
    resumed === 0 ? null : `resumed ${resumed === 1 ? "once" : `${resumed} times`}`,
    git === null ? null : `git ${git}`,
    environment.sandbox ? "sandboxed" : null,
  ];
  const words = [script === null ? run.scenario : basename(script), ...args.map(shellWord)];
  const lines = [facts.filter((fact) => fact !== null).join(" · "), words.join(" ")];
  if (message !== null) lines.push(`${status}: ${message}`);
  const width = Math.min(lookOfStdout(false).columns ?? PROSE_WIDTH, PROSE_WIDTH);
  return `${lines.flatMap((line) => wrap(printable(line), width)).join("\n")}\n`;
}
