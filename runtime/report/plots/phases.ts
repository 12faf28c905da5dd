import { phasesNamed } from "../../record/phases.ts";
import { formatNumber } from "../format.ts";
import { label, LEFT, type Plot, type Plotted, type PlottedVariant, rect, type Shape, WIDTH } from "./plot.ts";
import { rowsPlot } from "./rows.ts";

/** A part of a step: class of its colour, name, and ms. */
export type Part = readonly [color: string, name: string, ms: number];

/** Returns the plot of the parts of a step of all variants, one bar each; null where no phase was timed. */
export function phasesPlot({ variants }: Plotted, width = WIDTH): Plot | null {
  const rows = variants.map((variant) => ({ name: variant.name, parts: partsOf(variant) }))
    .filter(({ parts }) => parts.some(([, , ms]) => ms > 0));
  if (rows.length === 0) return null;
  const totals = rows.map(({ parts }) => parts.reduce((sum, [, , ms]) => sum + ms, 0));
  const legend = [...new Map(rows.flatMap(({ parts }) => parts).map(([color, name]) => [name, color]))];
  const plot = rowsPlot({
    width,
    name: "phases",
    title: "Parts of a step",
    about: "Mean time of each phase on the device, and the gap before the next step; the rest is the host's",
    unit: "ms per step",
    rowHeight: 28,
    domain: [0, Math.max(...totals) * 1.02],
    rows: rows.map(({ name, parts }, i) => ({
      name,
      draw: (x, top, height) => [
        ...bars(parts, x, top + 5, height - 10),
        label(x(totals[i]!) + 5, top + height / 2 + 4, formatNumber(totals[i]!)),
      ],
    })),
  });
  return withLegend(plot, legend);
}

function partsOf({ metrics }: PlottedVariant): Part[] {
  const { forward, backward, update, phases = {}, batchCost, iterationGap } = metrics;
  const named = { forward, backward, update, ...phases };
  const known = Object.entries(named).flatMap(([name, metric]) =>
    metric === null ? [] : [[name, metric.value] as const]
  );
  const order = phasesNamed(known.map(([name]) => name)).map(({ name }) => name);
  const timed = known.toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))
    .map(([name, ms]): Part => [name in CLASSES ? name : "other", name, ms]);
  if (timed.length === 0) return [];
  const gap: Part[] = iterationGap === null ? [] : [["gap", "gap", iterationGap.value]];
  const sum = [...timed, ...gap].reduce((all, [, , ms]) => all + ms, 0);
  const rest = (batchCost?.value ?? 0) - sum;
  return [...timed, ...gap, ...rest > 0 ? [["rest", "rest", rest] as const] : []];
}

const CLASSES: Readonly<Record<string, true>> = { forward: true, backward: true, update: true };

/** Draws parts one after the other. */
export function bars(parts: readonly Part[], x: (ms: number) => number, top: number, height: number): Shape[] {
  let from = 0;
  return parts.map(([color, name, ms]) => {
    const shape = rect(
      x(from),
      top,
      x(from + ms) - x(from),
      height,
      { class: color },
      `${name}: ${formatNumber(ms)} ms`,
    );
    from += ms;
    return shape;
  });
}

/** Adds the names of colours below a plot. */
export function withLegend(plot: Plot, names: readonly (readonly [name: string, color: string])[]): Plot {
  const room = 8;
  let x = LEFT;
  let row = 0;
  const shapes = names.flatMap(([name, color]) => {
    const width = 28 + 7 * name.length;
    if (x + width > plot.width) [x, row] = [LEFT, row + 1];
    const y = plot.height + room + 16 * row;
    const made = [rect(x, y, 10, 10, { class: color }), label(x + 15, y + 9, name)];
    x += width;
    return made;
  });
  return { ...plot, height: plot.height + room + 16 * (row + 1) + 4, shapes: [...plot.shapes, ...shapes] };
}
