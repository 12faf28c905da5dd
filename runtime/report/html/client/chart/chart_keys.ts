/// <reference lib="dom" />
import type UPlot from "uplot";

/** Fraction of the visible width that a key moves or zooms by. */
const KEY_STEP = 0.2;

/**
 * Adds keyboard reading, zooming and panning to a chart whose x spans `first` to `last`. Enter calls `open` with the index
 * that is read.
 */
export function listenToKeys(
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
