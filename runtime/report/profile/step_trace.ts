import { type Spread, type StepSeries, stepTraceRows } from "../../analysis/step_statistics.ts";
import type { VariantResult } from "../../result/schema.ts";
import { formatNumber, formatPercent } from "../format.ts";
import { type DataColumn, type Page, renderSection } from "../page.ts";
import { sparkline, SPARKLINE_NOTE } from "../sparkline.ts";
import { trustLines } from "./trust.ts";

/** A smaller change from the first to the last steps is not worth a word. */
const LEAST_TREND = 0.05;

const MOST_HICCUPS = 4;

interface Row {
  readonly name: string;
  readonly series: StepSeries;
}

/** Times of the step over the measured steps: how they lie, and how they went. */
export function renderStepTrace(page: Page, variant: VariantResult): string[] {
  const { blocks } = variant;
  const rows: Row[] = stepTraceRows(blocks);
  const steps = blocks.flatMap((block) => block.steps);
  if (steps.length === 0) return [];
  const number = (name: keyof Spread, heading: string): DataColumn<Row> => ({
    name,
    heading: [heading],
    align: "right",
    cell: ({ series }) => series.spread && formatNumber(series.spread[name]),
  });
  return renderSection(page, {
    title: `Step trace: ms of ${steps.length} measured steps`,
    columns: [
      { name: "time", heading: ["time"], align: "left", cell: (row) => row.name },
      number("mean", "mean"),
      number("min", "min"),
      number("median", "median"),
      number("p95", "p95"),
      number("max", "max"),
      {
        name: "over steps",
        heading: ["over steps"],
        align: "left",
        dropFirst: 1,
        cell: ({ series }) => series.spread && sparkline(series.values, Math.max(10, page.width - 62)),
      },
    ],
    rows,
    notes: [
      ...rows.flatMap(({ name, series }) => remarks(name, series, (i) => steps[i]!.index)),
      SPARKLINE_NOTE,
      ...amortised(variant),
      ...trustLines(variant, "phases"),
    ],
  });
}

function remarks(
  name: string,
  { trend, hiccups, values, spread }: StepSeries,
  indexOf: (i: number) => number,
): string[] {
  const lines: string[] = [];
  if (trend !== null && Math.abs(trend) >= LEAST_TREND) {
    const size = formatPercent(Math.abs(trend));
    lines.push(
      `${name}: ${size} % ${trend > 0 ? "longer" : "shorter"} in the last third of the steps than in the first`,
    );
  }
  if (hiccups.length > 0) {
    const shown = hiccups.slice(0, MOST_HICCUPS)
      .map((i) => `${indexOf(i)} (${formatNumber(values[i]! / spread!.median)} times the median)`);
    const more = hiccups.length > shown.length ? ` and ${hiccups.length - shown.length} more` : "";
    lines.push(`${name}: far longer than usual in step ${shown.join(", ")}${more}`);
  }
  return lines;
}

function amortised({ metrics }: VariantResult): string[] {
  return metrics.batchCost?.amortised ? ["host times are amortised: the time of a sink / its steps"] : [];
}
