/// <reference lib="dom" />
import type UPlot from "uplot";
import { tickText } from "../numbers.ts";
import { colorOf } from "../theme.ts";
import type { ChartMark, Series, SeriesChartOptions } from "./series.ts";

declare const uPlot: typeof UPlot;

const HEIGHT = 200;

/** Height of the name of the x axis, below the plot. */
const NAME_HEIGHT = 16;

/** Largest number of bars with space between them. */
const MAX_SPACED_BARS = 120;

/** Tick distances on x, which has integers. */
const WHOLE_NUMBERS = Array.from({ length: 8 }, (_, power) => [1, 2, 5].map((lead) => lead * 10 ** power)).flat();

/** Returns uPlot's options for a chart; `read` receives the cursor's index on x. */
export function plotOptions(
  options: SeriesChartOptions,
  width: number,
  read: (i: number | null) => void,
): UPlot.Options {
  const { series, include = [0], marks = [], height = HEIGHT } = options;
  const ends = series.flatMap(({ intervals = [] }) => intervals.flatMap((interval) => interval ?? []));
  const font = "11px system-ui, sans-serif";
  const axis: UPlot.Axis = {
    font,
    stroke: () => colorOf("--quiet"),
    grid: { stroke: () => colorOf("--line"), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height: height + NAME_HEIGHT,
    padding: [10, 12, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: true, y: false } },
    scales: {
      x: { time: false, range: () => extent(options) },
      y: { range: (_, low, high) => yRange([low, high, ...include, ...ends]) },
    },
    axes: [
      {
        ...axis,
        ...{ label: options.x.name, labelFont: font, labelSize: NAME_HEIGHT, labelGap: 0 },
        ...{ size: 28, gap: 4, incrs: WHOLE_NUMBERS, values: (_, ticks) => ticks.map(tickText) },
      },
      { ...axis, size: 52, gap: 6, values: (_, ticks) => ticks.map(tickText) },
    ],
    series: [{}, ...drawingOrder(options).map((i) => seriesOptions(series[i]!))],
    hooks: {
      setCursor: [(chart) => read(chart.cursor.idx ?? null)],
      draw: [
        ...ends.length === 0 ? [] : [(chart: UPlot) => drawWhiskers(chart, options)],
        ...marks.map((mark) => (chart: UPlot) => drawMark(chart, mark)),
      ],
    },
  };
}

function seriesOptions({ name, color, kind, dash, values }: Series): UPlot.Series {
  const stroke = () => colorOf(color);
  if (kind === "points") {
    return { label: name, stroke, paths: () => null, points: { show: true, size: 6, fill: stroke, width: 1 } };
  }
  const base = { label: name, stroke, points: { show: false }, ...(dash ? { dash: [4, 3] } : {}) };
  if (kind === "bars") {
    const paths = uPlot.paths.bars!({ size: [values.length > MAX_SPACED_BARS ? 1 : 0.88, Infinity] });
    return { ...base, paths, width: 0, fill: stroke };
  }
  return { ...base, paths: kind === "steps" ? uPlot.paths.stepped!({ align: 1 }) : uPlot.paths.linear!(), width: 1.5 };
}

/** Returns the full range of x, with room for a bar or a point on both sides. */
export function extent({ x: { values }, series }: SeriesChartOptions): [number, number] {
  const [first, last] = [values[0] ?? 0, values.at(-1) ?? 1];
  const wide = first === last || series.some(({ kind }) => kind === "bars" || kind === "points");
  return wide ? [first - 0.5, last + 0.5] : [first, last];
}

/** Stacked bars are painted from the highest to the lowest, then lines over them. */
function drawingOrder({ series, stacked }: SeriesChartOptions): number[] {
  const places = series.map((_, i) => i);
  if (!stacked) return places;
  const bars = places.filter((i) => series[i]!.kind === "bars");
  return [...bars.reverse(), ...places.filter((i) => series[i]!.kind !== "bars")];
}

/** Values of x, then of each series, in the order in which they are painted. */
export function plotData(options: SeriesChartOptions): UPlot.AlignedData {
  const { series, x, stacked } = options;
  const sums = x.values.map(() => 0);
  const heights = series.map(({ values, kind }) => {
    if (!stacked || kind !== "bars") return [...values];
    return values.map((value, i) => value === null ? null : sums[i]! += value);
  });
  return [[...x.values], ...drawingOrder(options).map((i) => heights[i]!)];
}

function yRange(values: readonly (number | null)[]): [number, number] {
  const known = values.filter((value) => value !== null && Number.isFinite(value)) as number[];
  const [low, high] = [Math.min(...known), Math.max(...known)];
  if (!Number.isFinite(low)) return [0, 1];
  if (low === high) return [low === 0 ? 0 : low - Math.abs(low) * 0.1, high === 0 ? 1 : high + Math.abs(high) * 0.1];
  const room = (high - low) * 0.06;
  return [low === 0 ? 0 : low - room, high + room];
}

function drawWhiskers(chart: UPlot, { series, x }: SeriesChartOptions): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.lineWidth = 1.5 * devicePixelRatio;
  for (const { color, intervals = [] } of series) {
    ctx.strokeStyle = colorOf(color);
    ctx.beginPath();
    for (const [i, interval] of intervals.entries()) {
      const left = chart.valToPos(x.values[i]!, "x", true);
      if (interval === null || left < bbox.left || left > bbox.left + bbox.width) continue;
      ctx.moveTo(left, chart.valToPos(interval[0], "y", true));
      ctx.lineTo(left, chart.valToPos(interval[1], "y", true));
    }
    ctx.stroke();
  }
  ctx.restore();
}

function drawMark(chart: UPlot, { x, text }: ChartMark): void {
  const { ctx, bbox } = chart;
  const left = chart.valToPos(x, "x", true);
  if (left < bbox.left || left > bbox.left + bbox.width) return;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colorOf("--ink");
  ctx.lineWidth = ratio;
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  ctx.beginPath();
  ctx.moveTo(left, bbox.top);
  ctx.lineTo(left, bbox.top + bbox.height);
  ctx.stroke();
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  const behind = left > bbox.left + bbox.width / 2;
  ctx.textAlign = behind ? "right" : "left";
  ctx.setLineDash([]);
  ctx.strokeStyle = colorOf("--paper");
  ctx.lineWidth = 4 * ratio;
  ctx.strokeText(text, left + (behind ? -5 : 5) * ratio, bbox.top + 12 * ratio);
  ctx.fillText(text, left + (behind ? -5 : 5) * ratio, bbox.top + 12 * ratio);
  ctx.restore();
}
