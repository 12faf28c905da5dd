import { formatNumber, formatPercent, MISSING } from "../../report/format.ts";
import { formatBytes } from "../../report/quantities.ts";
import { type Column, figures, type TableSpec, words } from "../../report/spec.ts";
import type { HistoryPoint } from "../../store/records.ts";
import { dateText } from "./date_text.ts";

/** Table of a metric over runs. */
export function historyTable(
  subject: string,
  scenario: string,
  points: readonly HistoryPoint[],
): TableSpec<HistoryPoint> {
  const unit = points.find((point) => point.unit !== "")?.unit ?? "";
  const count = points.length === 1 ? "1 run" : `${points.length} runs`;
  return {
    title: `${subject} of ${scenario}${unit === "" || unit === "bytes" ? "" : `, ${unit}`}; ${count}`,
    columns: columns(points),
    rows: points,
    notes: notes(points),
  };
}

function columns(points: readonly HistoryPoint[]): Column<HistoryPoint>[] {
  const first = points.find(({ value }) => typeof value === "number")?.value;
  const adapters = new Set(points.map(({ run }) => run.adapter));
  return [
    words("run", ({ run }) => run.id),
    words("started", ({ run }) => dateText(run.started)),
    {
      name: "value",
      heading: ["value"],
      align: "right",
      value: ({ value }) => value,
      text: ({ value, unit }) => showValue(value!, unit),
    },
    words("unit", ({ unit }) => unit, { only: "data" }),
    ...typeof first !== "number" ? [] : numberColumns(first),
    words("status", ({ run }) => run.status, { dropFirst: 2 }),
    words("git commit", ({ run }) => run.git, { heading: ["git"], dropFirst: 1 }),
    ...adapters.size < 2 ? [] : [words<HistoryPoint>("adapter", ({ run }) => run.adapter, { dropFirst: 3 })],
  ];
}

function numberColumns(first: number): Column<HistoryPoint>[] {
  return [
    words("interval", ({ low, high, unit }) => {
      return low === null || high === null ? null : `${showValue(low, unit)} to ${showValue(high, unit)}`;
    }, { heading: ["95 % interval"], sort: ({ low }) => low }),
    figures(
      "to the first",
      ({ value }) => typeof value === "number" && first !== 0 ? (value / first - 1) * 100 : null,
      {
        heading: ["to first"],
        unit: "%",
        format: (percent) => `${percent >= 0 ? "+" : ""}${formatPercent(percent / 100)} %`,
      },
    ),
  ];
}

function notes(points: readonly HistoryPoint[]): string[] {
  const missing = points.some(({ value }) => value === null) ? [`${MISSING}: not measured in that run`] : [];
  if (points.length < 2) return missing;
  return ["the runs were not interleaved: the values include changes of the machine between them", ...missing];
}

/** Formats a value of a metric. */
export function showValue(value: number | string, unit: string): string {
  if (typeof value === "string") return value;
  return unit === "bytes" ? formatBytes(value) : unit === "ratio" ? value.toFixed(3) : formatNumber(value);
}
