import { changePoints, exactChanges } from "../../analysis/change_points.ts";
import { type EnvironmentDifference, environmentDifferences } from "../../analysis/environment_differences.ts";
import { formatPercent, MISSING } from "../../report/format.ts";
import { figures, type TableSpec, words } from "../../report/spec.ts";
import type { Environment } from "../../result/schema.ts";
import type { HistoryPoint } from "../../store/records.ts";
import { showValue } from "./history_table.ts";
import { dateText } from "./date_text.ts";

/** Commits to print of a hash. */
const SHORT_COMMIT = 10;

/** A change of a metric between two kept runs. */
export interface HistoryChange {
  /** Last run before the change, and first run after it. */
  readonly lastBefore: string;
  readonly firstAfter: string;
  readonly started: number;
  /** Commits of these runs; the change was made after the first and no later than the second. Null if unknown. */
  readonly commits: { readonly after: string | null; readonly upTo: string | null };
  /** Median before and after; the value itself for exact metrics and words. */
  readonly before: number | string;
  readonly after: number | string;
  readonly unit: string;
  /** p of the permutation test; null for exact metrics and words. */
  readonly p: number | null;
  /** Differences between the environments of both runs, besides the commit. */
  readonly environment: readonly EnvironmentDifference[];
}

/** Finds the changes of a metric over runs, the earliest first. Runs without a value are skipped. */
export function findChanges(
  metric: string,
  points: readonly HistoryPoint[],
  environmentOf: (run: string) => Environment,
): HistoryChange[] {
  const known = points.filter((point): point is HistoryPoint & { value: number | string } => point.value !== null);
  const values = known.map(({ value }) => value);
  const numbers = values.filter((value) => typeof value === "number");
  const exact = /^(exact|memory)\./.test(metric) || metric === "parameters" || numbers.length < values.length;
  const changes = exact ? exactChanges(values) : changePoints(numbers);
  return changes.map(({ index, p, before, after }) => {
    const [then, now] = [known[index - 1]!, known[index]!];
    return {
      lastBefore: then.run.id,
      firstAfter: now.run.id,
      started: now.run.started,
      commits: { after: then.run.git, upTo: now.run.git },
      before,
      after,
      unit: now.unit,
      p,
      environment: environmentDifferences(environmentOf(then.run.id), environmentOf(now.run.id))
        .filter(({ what }) => what !== "git commit"),
    };
  });
}

/** Table of the changes of a metric. */
export function changesTable(
  subject: string,
  changes: readonly HistoryChange[],
  points: readonly HistoryPoint[],
): TableSpec<HistoryChange> {
  const numeric = changes.every(({ before, after }) => typeof before === "number" && typeof after === "number");
  const runs = points.length === 1 ? "1 run" : `${points.length} runs`;
  return {
    title: `Changes of ${subject} in ${runs}`,
    columns: [
      words("last run before", ({ lastBefore }) => lastBefore),
      words("first run after", ({ firstAfter }) => firstAfter),
      words("started", ({ started }) => dateText(started), { dropFirst: 1 }),
      words("before", ({ before, unit }) => showValue(before, unit), { align: "right" }),
      words("after", ({ after, unit }) => showValue(after, unit), { align: "right" }),
      ...!numeric ? [] : [
        figures<HistoryChange>("change", ({ before, after }) => {
          return Number(before) === 0 ? null : (Number(after) / Number(before) - 1) * 100;
        }, { unit: "%", format: (percent) => `${percent >= 0 ? "+" : ""}${formatPercent(percent / 100)} %` }),
      ],
      figures("p", ({ p }) => p, { dropFirst: 2 }),
      words("commits", ({ commits }) => commitsText(commits), {
        below: (change) => ["commits " + commitsText(change.commits), ...differences(change)].join("; "),
      }),
    ],
    rows: changes,
    notes: changes.some(({ p }) => p !== null)
      ? ["change points by E-Divisive (Matteson and James, 2014) at the level 0.01; before and after are medians"]
      : [],
  };
}

function commitsText({ after, upTo }: HistoryChange["commits"]): string {
  const short = (commit: string | null) => commit?.slice(0, SHORT_COMMIT) ?? MISSING;
  return after === upTo ? `${short(after)} on both sides` : `${short(after)}..${short(upTo)}`;
}

function differences({ environment }: HistoryChange): string[] {
  return environment.map(({ what, then, now }) => `${what} ${then ?? MISSING} -> ${now ?? MISSING}`);
}
