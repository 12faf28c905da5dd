import { sampleSteps } from "../analysis/step_statistics.ts";

/** Bars from the lowest to the highest. */
export const BARS = "▁▂▃▄▅▆▇█";

/** Marks a value that was not measured. */
const GAP = "·";

/** Smallest range of a line, as a fraction of the smallest value, so that noise does not look like a change. */
const MIN_RANGE = 0.1;

/** Legend of a sparkline over steps. */
export const SPARKLINE_NOTE = "bars: from the smallest to the largest value, or to 10 % above the smallest; " +
  "a bar for several steps shows the longest";

/** Renders values as at most `width` bars, from the smallest value, or from `from`, to the largest. */
export function sparkline(values: readonly (number | null)[], width: number, from?: number): string {
  const points = sampleSteps(values, width);
  const known = points.filter((value) => value !== null);
  const least = from ?? known.reduce((a, b) => Math.min(a, b), Infinity);
  const most = known.reduce((a, b) => Math.max(a, b), least + Math.abs(least) * MIN_RANGE);
  const bar = (value: number) => {
    const height = most > least ? (value - least) / (most - least) : 0;
    return BARS[Math.min(BARS.length - 1, Math.floor(height * BARS.length))]!;
  };
  return points.map((value) => value === null ? GAP : bar(value)).join("");
}
