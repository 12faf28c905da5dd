/// <reference lib="dom" />
import { dateText } from "../../library/kept/date_text.ts";
import type { HistoryChange } from "../../library/kept/history_changes.ts";
import { showValue } from "../../library/kept/history_table.ts";
import { formatPercent } from "../../report/format.ts";
import { seriesChart } from "../../report/html/client/chart/series_chart.ts";
import { nameText } from "../../report/html/client/names.ts";
import { variantColor } from "../../report/html/client/palette.ts";
import type { HistoryPoint } from "../../store/records.ts";
import type { HistoryPayload } from "../payloads.ts";
import { runAddress } from "./addresses.ts";

/** Returns the chart of a metric over runs, a series for each adapter; null for words, and without a value. */
export function historyChart(payload: HistoryPayload): HTMLElement | null {
  const { metric, variant, scenario, points, changes } = payload;
  if (!points.some(({ value }) => typeof value === "number")) return null;
  const own = points.find((point) => point.unit !== "")?.unit ?? "";
  const [scale, unit] = own === "bytes" ? [2 ** -20, "MiB"] : [1, own];
  const adapters = [...new Set(points.map(({ run }) => run.adapter))];
  const places = new Map(points.map(({ run }, i) => [run.id, i + 1]));
  return seriesChart({
    label: `${metric} of ${nameText(variant, 40)} over the runs of ${nameText(scenario, 40)}`,
    x: { name: "run", values: points.map((_, i) => i + 1), text: (x) => runText(points[x - 1], x) },
    unit,
    series: adapters.map((adapter, i) => {
      const chosen = points.map((point) => point.run.adapter === adapter ? point : null);
      return {
        name: adapter === null ? "no adapter" : nameText(adapter, 60),
        values: chosen.map((point) => typeof point?.value === "number" ? point.value * scale : null),
        intervals: chosen.map((point) => {
          const { low = null, high = null } = point ?? {};
          return low === null || high === null ? null : [low * scale, high * scale] as const;
        }),
        color: variantColor(i),
        kind: "points" as const,
      };
    }),
    include: [],
    // A change is between two runs
    marks: changes.map((change) => ({ x: places.get(change.firstAfter)! - 0.5, text: changeText(change) })),
    format: (value) => showValue(value, unit),
    height: 260,
    open: { what: "run", at: (i) => location.assign(runAddress(points[i]!.run.id)) },
  });
}

function runText(point: HistoryPoint | undefined, x: number): string {
  return point === undefined ? String(x) : `${point.run.id}, ${dateText(point.run.started)}`;
}

function changeText({ before, after }: HistoryChange): string {
  const [a, b] = [Number(before), Number(after)];
  if (a === 0) return "change";
  return `${b < a ? "" : "+"}${formatPercent(b / a - 1)} %`;
}
