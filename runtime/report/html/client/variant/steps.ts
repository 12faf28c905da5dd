/// <reference lib="dom" />
import { phaseSeries, stepPhases, stepSeries } from "../../../../analysis/step_statistics.ts";
import { stepTraceTable } from "../../../profile/step_trace.ts";
import { SPARKLINE_NOTE } from "../../../sparkline.ts";
import { isProgram } from "../../../own_loop.ts";
import { notRun, untimed, type VariantContext } from "../context.ts";
import { phaseColor } from "../palette.ts";
import { type Content, notes } from "../section.ts";
import type { Series } from "../chart/series.ts";
import { seriesChart } from "../chart/series_chart.ts";
import { createTable } from "../table.ts";
import { formatCounted } from "../../../format.ts";

/** Returns the section of step times: their course over the run and their distribution. */
export function stepsSection({ overview, variant }: VariantContext): Content {
  const { blocks } = variant;
  const steps = blocks.flatMap((block) => block.steps);
  const missing = notRun({ overview, variant }, blocks.length) ?? (steps.length === 0 ? "no steps were timed" : null);
  if (missing !== null) return missing;
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
  const reason = isProgram(variant.config) ? "the program is timed on the host" : untimed(overview);
  const device = stacked.length > 0 ? "" : `device times: –, ${reason ?? "not measured in this run"}`;
  const spec = stepTraceTable(variant);
  return {
    about: `${steps.length} measured steps in ${blocks.length} blocks; bars: device times, lines: host times`,
    content: [
      chart,
      createTable(spec).element,
      notes([device, ...(spec.notes ?? []).filter((note) => note !== SPARKLINE_NOTE)]),
    ],
  };
}

/** Most skipped steps that a note lists. */
const MAX_LISTED = 20;

/** Returns the section of the loss scale over all steps, warm-up included. */
export function lossScaleSection({ variant: { lossScale, losses } }: VariantContext): Content {
  const first = lossScale?.changes[0]?.step;
  if (lossScale === null) return "no loss scaling";
  if (first === undefined) return "no loss was read";
  const steps = Array.from({ length: losses.length - first }, (_, i) => first + i);
  let next = 0;
  const values = steps.map((step) => {
    while (next < lossScale.changes.length && lossScale.changes[next]!.step <= step) next++;
    return Number(lossScale.changes[next - 1]!.scale);
  });
  const chart = seriesChart({
    label: "Loss scale over steps",
    x: { name: "step", values: steps },
    unit: "factor",
    series: [{ name: "loss scale", values, color: "--series-1", kind: "steps" }],
    include: [0],
    height: 160,
  });
  const { skipped } = lossScale;
  const listed = skipped.slice(0, MAX_LISTED).join(", ");
  const more = skipped.length > MAX_LISTED ? `, and ${formatCounted(skipped.length - MAX_LISTED, "more step")}` : "";
  const note = skipped.length === 0 ? "no update was skipped" : `updates skipped at steps ${listed}${more}`;
  return {
    about: "Factor on the loss at every step, including warm-up steps",
    content: [chart, notes([note])],
  };
}
