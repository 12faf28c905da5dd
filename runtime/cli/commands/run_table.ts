import { formatNumber, MISSING } from "../../report/format.ts";
import { createPage, type DataColumn, type LookOptions, renderSection } from "../../report/page.ts";
import { shorten } from "../../report/plain_text.ts";
import type { RunStatus, RunSummary } from "../../store/records.ts";
import type { Tone } from "../../report/color.ts";
import { dateText } from "./times.ts";

const TONES: Readonly<Record<RunStatus, Tone | undefined>> = {
  running: "device",
  complete: undefined,
  interrupted: "warning",
  failed: "bad",
};

/** Names are cut here. */
const LONGEST_NAME = 24;

const COLUMNS: readonly DataColumn<RunSummary>[] = [
  { name: "id", heading: ["id"], align: "left", cell: ({ id }) => id },
  { name: "started", heading: ["started"], align: "left", cell: ({ started }) => dateText(started) },
  {
    name: "scenario",
    heading: ["scenario"],
    align: "left",
    cell: ({ scenario }) => shorten(scenario, LONGEST_NAME),
  },
  {
    name: "status",
    heading: ["status"],
    align: "left",
    cell: ({ status }) => {
      const tone = TONES[status];
      return tone === undefined ? status : { text: status, tone };
    },
  },
  {
    name: "variants",
    heading: ["variants"],
    align: "right",
    dropFirst: 3,
    cell: ({ variants, failed }) => failed === 0 ? String(variants) : `${failed} of ${variants} failed`,
  },
  {
    name: "speed of the baseline",
    heading: ["baseline"],
    align: "right",
    dropFirst: 2,
    cell: ({ ips, unit }) => ips === null ? null : `${formatNumber(ips)} ${unit}`,
  },
  {
    name: "fastest of the faster variants",
    heading: ["faster"],
    align: "left",
    dropFirst: 1,
    cell: ({ best, bestSpeedup }) =>
      best === null || bestSpeedup === null ? null : `${shorten(best, LONGEST_NAME)} ×${bestSpeedup.toFixed(2)}`,
  },
];

/** Runs, a line each. */
export function renderRuns(title: string, runs: readonly RunSummary[], look: LookOptions): string {
  const notes = runs.some(({ ips }) => ips === null) ? [`${MISSING}: there is no result`] : [];
  return `${renderSection(createPage(look), { title, columns: COLUMNS, rows: runs, notes }).join("\n")}\n`;
}
