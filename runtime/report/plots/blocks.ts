import { quantile } from "../../core/statistics.ts";
import { countedNoun } from "../quantities.ts";
import { formatNumber } from "../format.ts";
import { colorClass, dot, line, type Plot, type Plotted, rect, WIDTH } from "./plot.ts";
import { rowsPlot } from "./rows.ts";

/** Returns the plot of each variant's blocks: every block, their quartiles and median; null without blocks. */
export function blocksPlot({ variants }: Plotted, width = WIDTH): Plot | null {
  const noun = countedNoun(variants);
  const rows = variants.flatMap((variant, i) => {
    const times = variant.blocks.filter(({ samples, wall }) => samples > 0 && wall > 0).map(({ wall, samples }) =>
      wall / samples
    );
    return times.length === 0 ? [] : [{ name: variant.name, color: colorClass(i), times }];
  });
  const all = rows.flatMap(({ times }) => times);
  if (all.length < 2) return null;
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const room = (high - low || high) * 0.05;
  return rowsPlot({
    width,
    name: "blocks",
    title: "Distribution of the blocks",
    about: `Time per ${noun} of every block; box: middle half of the blocks, line: median`,
    unit: `ms per ${noun}`,
    rowHeight: 30,
    domain: [Math.max(0, low - room), high + room],
    rows: rows.map(({ name, color, times }) => ({
      name,
      draw(x, top, height) {
        const middle = top + height / 2;
        const sorted = times.toSorted((a, b) => a - b);
        const [q1, q2, q3] = [0.25, 0.5, 0.75].map((part) => quantile(sorted, part)) as [number, number, number];
        return [
          rect(x(q1), middle - 8, x(q3) - x(q1), 16, { class: `box ${color}` }),
          ...times.map((time, i) =>
            dot(x(time), middle + spread(i), 2.5, { class: color }, `${formatNumber(time)} ms`)
          ),
          line(x(q2), middle - 10, x(q2), middle + 10, { class: "median" }),
        ];
      },
    })),
  });
}

/** Returns the vertical distance of the `i`th dot from the middle, which keeps equal ones apart. */
function spread(i: number): number {
  return (i * 7 % 11 - 5) * 1.2;
}
