import type { Effect } from "../../result/schema.ts";
import { formatRatio } from "../format.ts";
import { type Interval, intervalOf } from "../interval_plot.ts";
import type { Scale } from "../scale.ts";
import { dot, label, line, type Plot, type Plotted, rect, type Shape, WIDTH } from "./plot.ts";
import { type PlotRow, rowsPlot } from "./rows.ts";

/** Smallest and largest ratio on an axis. */
const [MIN, MAX] = [0.01, 100];

/** Most rows of a plot. */
const MAX_ROWS = 40;

/** Returns the plot of the variants' speeds relative to the baseline; null for a single variant. */
export function speedPlot({ variants, baseline }: Plotted, width = WIDTH): Plot | null {
  const rows = variants.flatMap((variant) => {
    const interval = intervalOf(variant);
    return interval === null ? [] : [{ name: variant.name, interval }];
  });
  if (rows.length < 2) return null;
  return ratios("speed", "Speed", `Speed relative to ${baseline} with its interval; band: no difference`, rows, width);
}

/** Returns the plot of the effects of a sweep's settings; null without any. */
export function effectsPlot({ effects }: Plotted, width = WIDTH): Plot | null {
  if (effects.length === 0) return null;
  const rows = effects.map((effect) => ({
    name: effectName(effect),
    interval: { ...effect.ratio, band: null, tone: toneOf(effect) },
  }));
  return ratios("effects", "Effects of settings", "Change of speed by each setting, over all others", rows, width);
}

function effectName({ factors }: Effect): string {
  return factors.map(({ setting, from, to }) => `${setting} ${from} -> ${to}`).join(" + ");
}

function toneOf({ p, adjustedP, ratio }: Effect): string {
  return (adjustedP ?? p ?? 1) >= 0.05 ? "unclear" : ratio.value > 1 ? "faster" : "slower";
}

/** Returns a plot of ratios with intervals on a logarithmic axis. */
function ratios(
  name: string,
  title: string,
  about: string,
  all: readonly { readonly name: string; readonly interval: Interval }[],
  width: number,
): Plot {
  const rows = all.slice(0, MAX_ROWS);
  const ends = rows.flatMap(({ interval: { value, low, high, band } }) => {
    return [value, low ?? value, high ?? value, 1 + (band ?? 0), 1 / (1 + (band ?? 0))].map(within);
  });
  const [low, high] = [Math.min(1, ...ends), Math.max(1, ...ends)];
  const room = Math.max(1.02, (high / low) ** 0.06);
  const hidden = all.length - rows.length;
  return rowsPlot({
    width,
    ...{ name, title, about: hidden > 0 ? `${about}; the first ${MAX_ROWS} of ${all.length}` : about },
    unit: "×",
    rowHeight: 24,
    domain: [low / room, high * room],
    logarithmic: true,
    rows: rows.map(({ name, interval }): PlotRow => ({
      name,
      draw: (x, top, height) => intervalShapes(interval, x, top, height),
    })),
  });
}

/** Draws a ratio as a dot with its interval, and its value beside it. */
function intervalShapes({ value, low, high, band, tone }: Interval, x: Scale, top: number, height: number): Shape[] {
  const y = top + height / 2;
  const end = within(high ?? value);
  const color = `interval ${tone ?? ""}`.trim();
  const [from, to] = [within(low ?? value), end];
  return [
    ...band === null ? [] : [rect(x(1 / (1 + band)), top, x(1 + band) - x(1 / (1 + band)), height, { class: "band" })],
    line(x(1), top, x(1), top + height, { class: "one" }),
    line(x(from), y, x(to), y, { class: color }),
    ...[from, to].map((at) => line(x(at), y - 4, x(at), y + 4, { class: color })),
    dot(x(within(value)), y, 4, { class: color }, formatRatio(value)),
    label(x(end) + 8, y + 4, formatRatio(value)),
  ];
}

function within(ratio: number): number {
  return Math.min(MAX, Math.max(MIN, ratio));
}
