import { derivedSeries, type Spread, type StepSeries, stepTraceRows } from "../../analysis/step_statistics.ts";
import type { VariantResult } from "../../result/schema.ts";
import { formatNumber, formatPercent } from "../format.ts";
import { sparkline, SPARKLINE_NOTE } from "../sparkline.ts";
import { type Column, figures, type TableSpec, words } from "../spec.ts";
import { trustLines } from "./trust.ts";

/** Smallest change from the first to the last third of the steps that is reported. */
const MIN_TREND = 0.05;

/** Outlier steps listed for each time. */
const MAX_HICCUPS = 4;

interface TimeRow {
  readonly name: string;
  readonly series: StepSeries;
}

/** Returns the table of step times: their distribution, and their course over the measured steps. */
export function stepTraceTable(variant: VariantResult): TableSpec<TimeRow> {
  const { blocks, metrics } = variant;
  const steps = blocks.flatMap((block) => block.steps);
  const timed = steps.some(({ stepTime }) => stepTime !== null);
  const rows: TimeRow[] = steps.length === 0 ? [] : [
    ...stepTraceRows(blocks),
    ...timed ? [{ name: "step time", series: derivedSeries(blocks, ({ stepTime }) => stepTime) }] : [],
  ];
  return {
    title: `Step trace: ms, over ${steps.length} measured steps`,
    columns: [
      words("time", ({ name }) => name),
      ...(["mean", "min", "median", "p95", "max"] as const).map(spread),
      words("over steps", ({ series }) => series.spread && sparkline(series.values, 40), {
        dropFirst: 1,
        beside: 62,
        only: "lines",
        text: ({ series }, room) => sparkline(series.values, room),
      }),
    ],
    rows,
    notes: [
      ...rows.flatMap(({ name, series }) => remarks(name, series, (i) => steps[i]!.index)),
      SPARKLINE_NOTE,
      ...metrics.batchCost?.amortised ? ["host times are amortised: time of a sink / its steps"] : [],
      ...waitsOnce(variant) ? ["batch cost: the only wait of a block counts for all of its steps in equal parts"] : [],
      ...trustLines(variant, "phases"),
    ],
  };
}

/** Returns true if the loop does not wait for the device between steps. */
function waitsOnce({ config: { timing, sink }, blocks }: VariantResult): boolean {
  return (timing === "host" || timing === "event") && sink === 0 && blocks.length > 0;
}

function spread(name: keyof Spread): Column<TimeRow> {
  return figures(name, ({ series }) => series.spread && series.spread[name], { unit: "ms" });
}

function remarks(
  name: string,
  { trend, hiccups, values, spread }: StepSeries,
  indexOf: (i: number) => number,
): string[] {
  const lines: string[] = [];
  if (trend !== null && Math.abs(trend) >= MIN_TREND) {
    const size = formatPercent(Math.abs(trend));
    lines.push(
      `${name}: ${size} % ${trend > 0 ? "longer" : "shorter"} in the last third of the steps than in the first`,
    );
  }
  if (hiccups.length > 0) {
    const shown = hiccups.slice(0, MAX_HICCUPS)
      .map((i) => `${indexOf(i)} (${formatNumber(values[i]! / spread!.median)} times the median)`);
    const more = hiccups.length > shown.length ? ` and ${hiccups.length - shown.length} more` : "";
    lines.push(`${name}: unusually long in step ${shown.join(", ")}${more}`);
  }
  return lines;
}
