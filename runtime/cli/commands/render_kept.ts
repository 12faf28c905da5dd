/**
 * Lists and comparisons of kept runs in a terminal.
 *
 * @module
 */
import type { EnvironmentDifference } from "../../analysis/environment_differences.ts";
import type { VariantPair } from "../../analysis/run_comparison.ts";
import { comparisonTable, differenceSentences } from "../../library/kept/comparison_table.ts";
import { changesTable, type HistoryChange } from "../../library/kept/history_changes.ts";
import { historyTable } from "../../library/kept/history_table.ts";
import { runsTable } from "../../library/kept/run_table.ts";
import { createPage, type LookOptions, renderSection } from "../../report/page.ts";
import { printable } from "../../report/plain_text.ts";
import { sparkline } from "../../report/sparkline.ts";
import { wrap } from "../../report/wrap.ts";
import type { HistoryPoint, RunRecord, RunSummary } from "../../store/records.ts";
import { basename } from "node:path";
import { shellWord } from "../../core/shell_word.ts";
import { dateText } from "../../library/kept/date_text.ts";
import { formatClock } from "../../report/format.ts";
import { lookOfStdout, PROSE_WIDTH } from "../terminal.ts";

/** Maximum number of bars in the sparkline. */
const BARS = 60;

/** Renders the table of runs. */
export function renderRuns(title: string, runs: readonly RunSummary[], look: LookOptions): string {
  return `${renderSection(createPage(look), runsTable(title, runs)).join("\n")}\n`;
}

/** Renders the differences of two runs in environment and settings. */
export function renderDifferences(
  ids: readonly [string, string],
  environment: readonly EnvironmentDifference[],
  settings: readonly string[],
  look: LookOptions,
): string {
  const { width } = createPage(look);
  const lines = differenceSentences(ids, environment, settings);
  if (lines.length === 0) return "Environment and settings are the same\n";
  const shown = lines.flatMap((line) => wrap(`  ${printable(line)}`, width, 6));
  return `${["Differences between the runs:", ...shown].join("\n")}\n`;
}

/** Renders the metrics of two runs. */
export function renderComparison(
  ids: readonly [string, string],
  variants: readonly VariantPair[],
  look: LookOptions,
): string {
  const lines = renderSection(createPage(look), comparisonTable(ids, variants));
  return lines.length === 0 ? "No metric to compare was measured\n" : `${lines.join("\n")}\n`;
}

/** Renders a metric over runs: a sparkline, then the table. */
export function renderHistory(
  subject: string,
  scenario: string,
  points: readonly HistoryPoint[],
  look: LookOptions,
): string {
  if (points.length === 0) return `No kept run of ${scenario} matches\n`;
  const values = points.map(({ value }) => typeof value === "number" ? value : null);
  const bars = values.some((value) => value !== null) ? [sparkline(values, BARS)] : [];
  const [title, ...table] = renderSection(createPage(look), historyTable(subject, scenario, points));
  return `${[title, ...bars, ...table].join("\n")}\n`;
}

/** Renders the changes of a metric. */
export function renderChanges(
  subject: string,
  changes: readonly HistoryChange[],
  points: readonly HistoryPoint[],
  look: LookOptions,
): string {
  if (changes.length > 0) {
    return `${renderSection(createPage(look), changesTable(subject, changes, points)).join("\n")}\n`;
  }
  return `${subject} has no change in ${points.length === 1 ? "1 run" : `${points.length} runs`}\n`;
}

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
