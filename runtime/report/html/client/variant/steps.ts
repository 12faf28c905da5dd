/// <reference lib="dom" />
import {
  phaseSeries,
  type Spread,
  stepPhases,
  stepSeries,
  stepTraceRows,
} from "../../../../analysis/step_statistics.ts";
import { notRun, untimed, type VariantContext } from "../context.ts";
import { numberText, percentText } from "../numbers.ts";
import { phaseColor } from "../palette.ts";
import { notes, type Section } from "../section.ts";
import type { Series } from "../chart/series.ts";
import { seriesChart } from "../chart/series_chart.ts";
import { createTable } from "../table.ts";

const MOST_HICCUPS = 4;

/** Times of the measured steps: over the run, and how they lie. */
export function stepsSection({ overview, variant, words }: VariantContext): Section {
  const base = { anchor: "steps", title: "Step trace" };
  const { blocks, metrics } = variant;
  const steps = blocks.flatMap((block) => block.steps);
  const missing = notRun(variant, blocks.length) ?? (steps.length === 0 ? "no single step was timed" : null);
  if (missing !== null) return { ...base, content: missing };
  const stacked = [
    { name: "iteration gap", color: "--gap", ...stepSeries(blocks, "iterationGap") },
    ...stepPhases(blocks).map(({ name, label }) => ({
      name: label,
      color: phaseColor(name),
      ...phaseSeries(blocks, name),
    })),
  ].map(({ name, color, values }): Series => ({ name, color, kind: "bars", values }))
    .filter(({ values }) => values.some((value) => value !== null));
  const host = ([["batch cost", "batchCost", "--ink"], ["reader cost", "readerCost", "--reader"]] as const)
    .map(([name, time, color]): Series => ({ name, color, kind: "line", values: stepSeries(blocks, time).values }))
    .filter(({ values }) => values.some((value) => value !== null));
  const chart = seriesChart({
    label: "Times of a step over the measured steps",
    x: { name: "step", values: steps.map(({ index }) => index) },
    unit: "ms",
    series: [...stacked, ...host],
    stacked: true,
    height: 240,
  });
  const device = stacked.length > 0 ? "" : `device times –: ${untimed(overview) ?? "not measured in this run"}`;
  const amortised = metrics.batchCost?.amortised ? "host times are amortised: the time of a sink / its steps" : "";
  return {
    ...base,
    about: `${steps.length} measured steps in ${blocks.length} blocks; bars are the device's time, lines the host's`,
    content: [
      chart,
      spreadTable(variant.blocks),
      notes([device, amortised, ...remarks(variant), ...words.stepTrust]),
    ],
  };
}

interface Row {
  readonly name: string;
  readonly spread: Spread | null;
  readonly trend: number | null;
}

function spreadTable(blocks: VariantContext["variant"]["blocks"]): HTMLElement {
  const timed = blocks.some(({ steps }) => steps.some(({ stepTime }) => stepTime !== null));
  const rows: Row[] = [
    ...stepTraceRows(blocks).map(({ name, series }) => ({ name, ...series })),
    ...(timed ? [{ name: "step time", ...stepSeries(blocks, "stepTime") }] : []),
  ];
  const column = (title: string, key: keyof Spread) => ({
    title,
    unit: "ms",
    value: ({ spread }: Row) => spread && spread[key],
    show: ({ spread }: Row) => spread && numberText(spread[key]),
  });
  return createTable<Row>({
    caption: "Times of the measured steps",
    columns: [
      { title: "time", align: "left", value: ({ name }) => name },
      column("mean", "mean"),
      column("min", "min"),
      column("median", "median"),
      column("p95", "p95"),
      column("max", "max"),
      {
        title: "trend",
        value: ({ trend }) => trend,
        show: ({ trend }) => trend === null ? null : percentText(trend),
        help: "Median of the last third of the steps / that of the first third - 1",
      },
    ],
    rows,
  }).element;
}

function remarks({ blocks, stepTimes }: VariantContext["variant"]): string[] {
  const indices = blocks.flatMap(({ steps }) => steps.map(({ index }) => index));
  const hiccups = stepTraceRows(blocks).map(({ name, series: { hiccups, values, spread } }) => {
    const shown = hiccups.slice(0, MOST_HICCUPS)
      .map((i) => `${indices[i]} (${numberText(values[i]! / spread!.median)} times the median)`);
    const rest = hiccups.length > shown.length ? ` and ${hiccups.length - shown.length} more` : "";
    return shown.length === 0 ? "" : `${name}: far longer than usual in step ${shown.join(", ")}${rest}`;
  });
  const { median, p95, p99, max, steps } = stepTimes ?? {};
  const all = stepTimes === null
    ? ""
    : `steps of all blocks: median ${numberText(median)}, p95 ${numberText(p95)}, p99 ${numberText(p99)}, ` +
      `max ${numberText(max)} ms of ${steps} steps`;
  return [all, ...hiccups];
}
