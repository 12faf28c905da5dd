import { formatNumber, MISSING } from "../../report/format.ts";
import { shorten } from "../../report/plain_text.ts";
import { type Column, figures, type TableSpec, words } from "../../report/spec.ts";
import type { RunStatus, RunSummary } from "../../store/records.ts";
import type { Tone } from "../../report/color.ts";
import { dateText } from "./date_text.ts";

const TONES: Readonly<Record<RunStatus, Tone | null>> = {
  running: "device",
  complete: null,
  interrupted: "warning",
  failed: "bad",
};

/** Maximum length of names. */
const LONGEST_NAME = 24;

const COLUMNS: readonly Column<RunSummary>[] = [
  words("id", ({ id }) => id),
  words("started", ({ started }) => dateText(started)),
  words("scenario", ({ scenario }) => scenario, { most: LONGEST_NAME }),
  words("status", ({ status }) => status, { tone: ({ status }) => TONES[status] }),
  words("variants", ({ variants, failed }) => failed === 0 ? String(variants) : `${failed} of ${variants} failed`, {
    align: "right",
    dropFirst: 3,
  }),
  figures("speed of the baseline", ({ ips }) => ips, {
    heading: ["baseline"],
    dropFirst: 2,
    format: (ips, { unit }) => `${formatNumber(ips)} ${unit}`,
  }),
  words("unit", ({ unit }) => unit, { only: "data" }),
  words("fastest of the faster variants", ({ best, bestSpeedup }) => {
    return best === null || bestSpeedup === null ? null : `${shorten(best, LONGEST_NAME)} ×${bestSpeedup.toFixed(2)}`;
  }, { heading: ["faster"], dropFirst: 1, sort: ({ bestSpeedup }) => bestSpeedup }),
];

/** Table of runs. */
export function runsTable(title: string, runs: readonly RunSummary[]): TableSpec<RunSummary> {
  const without = runs.filter(({ ips }) => ips === null);
  const notes = [
    ...without.some(({ status }) => status !== "complete") ? [`${MISSING}: no result`] : [],
    ...without.some(({ status }) => status === "complete")
      ? [`${MISSING}: no single speed of the baseline; a run merged from shards has one for each node`]
      : [],
  ];
  return { title, columns: COLUMNS, rows: runs, notes };
}
