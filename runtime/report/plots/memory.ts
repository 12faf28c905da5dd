import { formatMiB } from "../format.ts";
import { nameText } from "../plain_text.ts";
import { linearScale, linearTicks } from "../scale.ts";
import { colorClass, label, LEFT, line, type Plot, type Plotted, polyline, RIGHT, WIDTH } from "./plot.ts";
import { withLegend } from "./phases.ts";
import { shortNumber } from "./rows.ts";

const [TOP, HEIGHT] = [24, 220];

/** Most variants in one picture. */
const MAX = 8;

const MIB = 2 ** 20;

/** Returns the plot of the memory in use over a step, of all variants together; null without profiled memory. */
export function memoryPlot({ variants }: Pick<Plotted, "variants">, width = WIDTH): Plot | null {
  const known = variants.map((variant, i) => ({ ...variant, color: colorClass(i) }))
    .filter(({ memoryOverStep }) => memoryOverStep.length > 1);
  const shown = known.slice(0, MAX);
  if (shown.length === 0) return null;
  const most = Math.max(...shown.flatMap(({ memoryOverStep }) => memoryOverStep)) / MIB;
  const x = linearScale([0, 1], [LEFT, width - RIGHT]);
  const y = linearScale([0, most * 1.06 || 1], [TOP + HEIGHT, TOP]);
  const left = known.length - shown.length;
  const plot: Plot = {
    name: "memory",
    title: "Memory over a step",
    about: `Device memory in use while the ops of a step run, first to last; beside the names: peaks in MiB${
      left === 0 ? "" : `; the first ${MAX} of ${known.length} variants`
    }`,
    width,
    height: TOP + HEIGHT + 34,
    shapes: [
      ...linearTicks(0, most * 1.06, 5).flatMap((tick) => [
        line(LEFT, y(tick), width - RIGHT, y(tick), { class: "grid" }),
        label(LEFT - 6, y(tick) + 4, shortNumber(tick), { "text-anchor": "end" }),
      ]),
      label(LEFT - 6, 12, "MiB", { "text-anchor": "end" }),
      label(x(0), TOP + HEIGHT + 16, "first op"),
      label(x(1), TOP + HEIGHT + 16, "last op of the step", { "text-anchor": "end" }),
      ...shown.map(({ memoryOverStep, color }) => polyline(steps(memoryOverStep, x, y), { class: `line ${color}` })),
    ],
  };
  return withLegend(
    plot,
    shown.map(({ name, memoryOverStep, color }) => [`${nameText(name, 28)} ${peak(memoryOverStep)}`, color]),
  );
}

function peak(bytes: readonly number[]): string {
  return formatMiB(Math.max(...bytes));
}

/** Returns the corners of a line that holds each value for the op's part of the step. */
function steps(bytes: readonly number[], x: (part: number) => number, y: (mib: number) => number): [number, number][] {
  return bytes.flatMap((value, i): [number, number][] => {
    const height = y(value / MIB);
    return [[x(i / bytes.length), height], [x((i + 1) / bytes.length), height]];
  });
}
