/// <reference lib="dom" />
import { dateText } from "../../library/kept/date_text.ts";
import { showValue } from "../../library/kept/history_table.ts";
import { seriesChart } from "../../report/html/client/chart/series_chart.ts";
import { nameText } from "../../report/html/client/names.ts";
import { variantColor } from "../../report/html/client/palette.ts";
import type { HistoryPoint } from "../../store/records.ts";
import type { HistoryPayload } from "../payloads.ts";

/** Returns the chart of a metric over runs, a series for each adapter; null for words, and without a value. */
export function historyChart({ metric, variant, scenario, points }: HistoryPayload): HTMLElement | null {
  if (!points.some(({ value }) => typeof value === "number")) return null;
  const unit = points.find((point) => point.unit !== "")?.unit ?? "";
  const adapters = [...new Set(points.map(({ run }) => run.adapter))];
  return seriesChart({
    label: `${metric} of ${nameText(variant, 40)} over the runs of ${nameText(scenario, 40)}`,
    x: {
      name: "run",
      values: points.map((_, i) => i + 1),
      text: (x) => {
        const point = points[x - 1];
        return point === undefined ? String(x) : `${point.run.id}, ${dateText(point.run.started)}`;
      },
    },
    unit,
    series: adapters.map((adapter, i) => {
      const own = (point: HistoryPoint) => point.run.adapter === adapter;
      return {
        name: adapter === null ? "no adapter" : nameText(adapter, 60),
        values: points.map((point) => own(point) && typeof point.value === "number" ? point.value : null),
        intervals: points.map((point) => {
          return own(point) && point.low !== null && point.high !== null ? [point.low, point.high] as const : null;
        }),
        color: variantColor(i),
        kind: "points" as const,
      };
    }),
    include: [],
    format: (value) => showValue(value, unit),
    height: 260,
  });
}
