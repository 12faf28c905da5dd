/// <reference lib="dom" />
import { formatCounted } from "../../../format.ts";
import { seriesChart } from "../chart/series_chart.ts";
import type { VariantContext } from "../context.ts";
import { type Content, notes } from "../section.ts";

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
