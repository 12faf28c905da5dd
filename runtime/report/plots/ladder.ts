import { changesText } from "../differences.ts";
import { countedNoun } from "../quantities.ts";
import { formatNumber, formatRatio } from "../format.ts";
import { label, line, type Plot, type Plotted, rect, WIDTH } from "./plot.ts";
import { type PlotRow, rowsPlot } from "./rows.ts";

/** A state of the tuned scenario: its speed, and the speed before the change. */
interface State {
  readonly name: string;
  readonly before: number | null;
  readonly speed: number;
  readonly kept: boolean;
  readonly gain: number | null;
}

/** Returns the plot of the tuning ladder: the speed after each setting that was tried; null without a ladder. */
export function ladderPlot({ ladder }: Plotted, width = WIDTH): Plot | null {
  const first = ladder?.start.ips?.value;
  if (ladder == null || first === undefined) return null;
  const states: State[] = [{ name: "as it was", before: null, speed: first, kept: true, gain: null }];
  for (const { changes, name, before, after, kept, measured } of ladder.rungs) {
    const speed = after?.ips?.value;
    if (speed === undefined) continue;
    const gain = measured?.speedup.value ?? null;
    states.push({ name: changesText(changes) || name, before: before.ips?.value ?? null, speed, kept, gain });
  }
  const most = Math.max(...states.flatMap(({ speed, before }) => [speed, before ?? 0]));
  return rowsPlot({
    width,
    name: "ladder",
    title: "Tuning ladder",
    about: "Speed after each setting that was tried, top to bottom; line: speed before it; pale: dropped again",
    unit: `${countedNoun([{ metrics: ladder.start }])}s/s`,
    rowHeight: 28,
    domain: [0, most * 1.02],
    rows: states.map(({ name, before, speed, kept, gain }): PlotRow => ({
      name,
      draw: (x, top, height) => [
        rect(x(0), top + 5, x(speed) - x(0), height - 10, { class: kept ? "kept" : "dropped" }, formatNumber(speed)),
        ...before === null ? [] : [line(x(before), top + 2, x(before), top + height - 2, { class: "median" })],
        label(x(Math.max(speed, before ?? 0)) + 5, top + height / 2 + 4, gain === null ? "" : formatRatio(gain)),
      ],
    })),
  });
}
