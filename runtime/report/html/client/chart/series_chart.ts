/// <reference lib="dom" />
import type UPlot from "uplot";
import { MISSING } from "../../../format.ts";
import { figures, type TableSpec } from "../../../spec.ts";
import { el, swatch } from "../dom.ts";
import { numberText, tickText } from "../numbers.ts";
import { createTable } from "../table.ts";
import { onColorsChange } from "../theme.ts";
import { extent, plotData, plotOptions } from "./plot_options.ts";
import type { SeriesChartOptions } from "./series.ts";

declare const uPlot: typeof UPlot;

/** Pixels that the pointer moves at least in a drag. */
const SMALLEST_DRAG = 4;

/**
 * Returns a chart of values over x, with its numbers in a table below. The pointer and arrow keys read values, dragging
 * and + zoom in, double-click and 0 zoom out.
 */
export function seriesChart(options: SeriesChartOptions): HTMLElement {
  const { label, x, unit, series, format = numberText, open } = options;
  const plot = el("div", {
    class: "plot",
    tabindex: 0,
    role: "application",
    "aria-roledescription": "chart",
    "aria-label": `${label}. Arrow keys read values, plus and minus zoom, 0 shows all.${
      open === undefined ? "" : ` Enter opens the ${open.what}.`
    }`,
  });
  const values = series.map(() => el("output", {}));
  const at = el("span", { class: "at" });
  const text = x.text ?? tickText;
  const read = (i: number | null) => {
    at.textContent = i === null ? "" : `${x.name} ${text(x.values[i]!)}`;
    for (const [j, { values: own }] of series.entries()) {
      const value = i === null ? undefined : own[i];
      values[j]!.textContent = i === null ? "" : value === null || value === undefined ? MISSING : format(value);
    }
  };
  const legend = el(
    "div",
    { class: "legend", "aria-live": "polite" },
    ...series.map(({ name, color, kind }, i) =>
      el("span", {}, swatch(color, kind === "bars" ? "area" : kind === "points" ? "dot" : "line"), name, values[i]!)
    ),
    el("span", { class: "unit" }, unit),
    at,
  );
  draw(plot, options, read);
  const data = chartData({
    title: label,
    columns: [
      figures<number>(x.name, (i) => x.values[i]!, { format: text }),
      ...series.map(({ name, values: own }) => figures<number>(name, (i) => own[i] ?? null, { unit, format })),
    ],
    rows: x.values.map((_, i) => i),
  });
  return el("figure", { class: "chart", "data-points": x.values.length }, legend, plot, data);
}

/** Returns a chart's numbers as a table that is created when it is opened. */
function chartData<Row>(spec: TableSpec<Row>): HTMLElement {
  const details = el("details", { class: "data" }, el("summary", {}, "Data"));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(createTable(spec, { limit: 50 }).element);
  });
  return details;
}

/** Draws the chart once the element has a width, and again when its width or the colours change. */
function draw(plot: HTMLElement, options: SeriesChartOptions, read: (i: number | null) => void): void {
  let chart: UPlot | null = null;
  const observer = new ResizeObserver(() => {
    const width = Math.floor(plot.clientWidth);
    if (!plot.isConnected) return observer.disconnect();
    if (width === 0) return;
    if (chart === null) {
      chart = new uPlot(plotOptions(options, width, read), plotData(options), plot);
      listenToKeys(plot, chart, extent(options), options.open?.at ?? null);
      if (options.open !== undefined) listenToClicks(chart, options.open.at);
    } else if (chart.width !== width) chart.setSize({ width, height: chart.height });
  });
  observer.observe(plot);
  onColorsChange(plot, () => chart?.redraw(false, true));
}

/** Calls `open` with the index that is read at a click that is no drag. */
function listenToClicks(chart: UPlot, open: (i: number) => void): void {
  const { over } = chart;
  let from = NaN;
  over.addEventListener("mousedown", ({ clientX }) => {
    from = clientX;
  });
  over.addEventListener("click", ({ clientX }) => {
    const at = chart.cursor.idx ?? null;
    if (at !== null && Math.abs(clientX - from) < SMALLEST_DRAG) open(at);
  });
  over.style.cursor = "pointer";
}

/** Fraction of the visible width that a key moves or zooms by. */
const KEY_STEP = 0.2;

/**
 * Adds keyboard reading, zooming and panning to a chart whose x spans `first` to `last`. Enter calls `open` with the index
 * that is read.
 */
function listenToKeys(
  plot: HTMLElement,
  chart: UPlot,
  [first, last]: readonly [number, number],
  open: ((i: number) => void) | null,
): void {
  const all = chart.data[0];
  const move = (i: number) => {
    const place = Math.max(0, Math.min(all.length - 1, i));
    const [low, high] = [chart.scales["x"]!.min!, chart.scales["x"]!.max!];
    const value = all[place]!;
    if (value < low || value > high) zoom(value - (high - low) / 2, value + (high - low) / 2);
    chart.setCursor({ left: chart.valToPos(all[place]!, "x"), top: 0 });
  };
  const zoom = (low: number, high: number) => {
    const width = Math.min(high - low, last - first);
    const start = Math.max(first, Math.min(low, last - width));
    if (width > 0) chart.setScale("x", { min: start, max: start + width });
  };
  plot.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || all.length === 0) return;
    const at = chart.cursor.idx ?? null;
    const [low, high] = [chart.scales["x"]!.min!, chart.scales["x"]!.max!];
    const part = (high - low) * KEY_STEP;
    const actions: Record<string, () => void> = {
      ArrowRight: () => event.shiftKey ? zoom(low + part, high + part) : move(at === null ? 0 : at + 1),
      ArrowLeft: () => event.shiftKey ? zoom(low - part, high - part) : move(at === null ? all.length - 1 : at - 1),
      Home: () => move(0),
      End: () => move(all.length - 1),
      "+": () => zoom(low + part, high - part),
      "=": () => zoom(low + part, high - part),
      "-": () => zoom(low - part, high + part),
      "0": () => zoom(first, last),
      ...open === null || at === null ? {} : { Enter: () => open(at) },
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}
