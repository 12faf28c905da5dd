import { basename } from "node:path";
import { formatClock } from "../../report/format.ts";
import { printable } from "../../report/plain_text.ts";
import { wrap } from "../../report/wrap.ts";
import type { RunSummary } from "../../store/records.ts";
import { dateText } from "./times.ts";

/** Text is not set wider than this. */
const PROSE_WIDTH = 100;

/** Lines that say which run it is. */
export function runHead(run: RunSummary): string {
  const { id, status, started, ended, script, args, resumed, git, message } = run;
  const facts = [
    `run ${id}`,
    dateText(started),
    status,
    ended === null ? null : formatClock(ended - started),
    resumed === 0 ? null : `taken up ${resumed === 1 ? "once" : `${resumed} times`}`,
    git === null ? null : `git ${git}`,
  ];
  const words = [script === null ? run.scenario : basename(script), ...args.map(quoted)];
  const lines = [facts.filter((fact) => fact !== null).join(" · "), words.join(" ")];
  if (message !== null) lines.push(`${status}: ${message}`);
  return `${lines.flatMap((line) => wrap(printable(line), PROSE_WIDTH)).join("\n")}\n`;
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
