import { formatNumber, formatPercent, MISSING } from "../../report/format.ts";
import { createPage, type DataColumn, type LookOptions, renderSection } from "../../report/page.ts";
import { formatBytes } from "../../report/quantities.ts";
import { sparkline } from "../../report/sparkline.ts";
import type { HistoryPoint } from "../../store/records.ts";
import { dateText } from "./times.ts";

/** Bars of the line. */
const BARS = 60;

/** A metric over runs: a line of bars, then a row for each run. */
export function renderHistory(
  subject: string,
  scenario: string,
  points: readonly HistoryPoint[],
  look: LookOptions,
): string {
  if (points.length === 0) return `No kept run of ${scenario} fits\n`;
  const page = createPage(look);
  const values = points.map(({ value }) => typeof value === "number" ? value : null);
  const unit = points.find((point) => point.unit !== "")?.unit ?? "";
  const count = points.length === 1 ? "1 run" : `${points.length} runs`;
  const title = `${subject} of ${scenario}${unit === "" || unit === "bytes" ? "" : `, ${unit}`}; ${count}`;
  const bars = values.some((value) => value !== null) ? [sparkline(values, BARS)] : [];
  const table = renderSection(page, { title, columns: columns(points), rows: points, notes: notes(points) });
  return `${[table[0], ...bars, ...table.slice(1)].join("\n")}\n`;
}

function columns(points: readonly HistoryPoint[]): DataColumn<HistoryPoint>[] {
  const first = points.find(({ value }) => typeof value === "number")?.value;
  const adapters = new Set(points.map(({ run }) => run.adapter));
  return [
    { name: "run", heading: ["run"], align: "left", cell: ({ run }) => run.id },
    { name: "started", heading: ["started"], align: "left", cell: ({ run }) => dateText(run.started) },
    { name: "value", heading: ["value"], align: "right", cell: (point) => show(point.value, point.unit) },
    ...typeof first !== "number" ? [] : numberColumns(first),
    { name: "status", heading: ["status"], align: "left", dropFirst: 2, cell: ({ run }) => run.status },
    { name: "git commit", heading: ["git"], align: "left", dropFirst: 1, cell: ({ run }) => run.git },
    ...adapters.size < 2 ? [] : [
      {
        name: "adapter",
        heading: ["adapter"],
        align: "left",
        dropFirst: 3,
        cell: ({ run }: HistoryPoint) => run.adapter,
      } as const,
    ],
  ];
}

function numberColumns(first: number): DataColumn<HistoryPoint>[] {
  return [
    {
      name: "interval",
      heading: ["95 % interval"],
      align: "left",
      cell: ({ low, high, unit }) => low === null || high === null ? null : `${show(low, unit)} to ${show(high, unit)}`,
    },
    {
      name: "to the first",
      heading: ["to first"],
      align: "right",
      cell: ({ value }) => typeof value === "number" ? change(value, first) : null,
    },
  ];
}

function notes(points: readonly HistoryPoint[]): string[] {
  const missing = points.some(({ value }) => value === null) ? [`${MISSING}: not measured in that run`] : [];
  if (points.length < 2) return missing;
  return ["runs were not measured side by side: what changed on the machine between them is in the values", ...missing];
}

function show(value: number | string | null, unit: string): string | null {
  if (value === null || typeof value === "string") return value;
  return unit === "bytes" ? formatBytes(value) : unit === "ratio" ? value.toFixed(3) : formatNumber(value);
}

function change(value: number, first: number): string | null {
  if (first === 0) return null;
  const ratio = value / first - 1;
  return `${ratio >= 0 ? "+" : ""}${formatPercent(ratio)} %`;
}
