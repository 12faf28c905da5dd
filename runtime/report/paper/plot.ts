import type { Result } from "../../result/schema.ts";
import { latexText } from "./latex.ts";

/** Ends of the axis: intervals of two or three rounds may be far wider. */
const [MIN, MAX] = [0.01, 100];

/** Largest ratio of the ends that a linear axis shows. */
const LINEAR = 4;

/** Returns the plot of the speed-ups with their intervals, for pgfplots. The grey band holds what counts as no difference. */
export function intervalPlot({ variants, baseline }: Result): string {
  const shown = variants.flatMap(({ name, metrics: { speedup }, comparison }) => {
    if (speedup === null) return [];
    const value = within(speedup.value);
    const estimate = comparison?.speedup;
    const [low, high] = [within(estimate?.low ?? speedup.value), within(estimate?.high ?? speedup.value)];
    return [{ name, value, low: Math.min(low, value), high: Math.max(high, value) }];
  });
  const band = Math.max(0, ...variants.map(({ comparison }) => comparison?.band ?? 0));
  const bottom = shown.length - 0.5;
  const ends = shown.flatMap(({ low, high }) => [low, high]);
  const isWide = Math.max(1, ...ends) > LINEAR * Math.min(1, ...ends);
  return [
    "\\begin{tikzpicture}",
    "\\begin{axis}[",
    "  width=0.8\\linewidth,",
    `  height=${(2.2 + 0.6 * shown.length).toFixed(1)}cm,`,
    "  axis lines*=left,",
    "  y dir=reverse,",
    "  ymin=-0.5,",
    `  ymax=${bottom},`,
    `  ytick={${shown.map((_, i) => i).join(",")}},`,
    `  yticklabels={${shown.map(({ name }) => `{${latexText(name)}}`).join(",")}},`,
    `  xlabel={speed relative to ${latexText(baseline)}},`,
    ...isWide ? ["  xmode=log,", "  log ticks with fixed point,"] : [],
    "]",
    `\\fill[black!10] (axis cs:${number(1 / (1 + band))},-0.5) rectangle (axis cs:${number(1 + band)},${bottom});`,
    `\\draw[dashed] (axis cs:1,-0.5) -- (axis cs:1,${bottom});`,
    "\\addplot[only marks, mark=*, error bars/.cd, x dir=both, x explicit]",
    "  table[x=x, y=y, x error plus=plus, x error minus=minus] {",
    "    x y plus minus",
    ...shown.map(({ value, low, high }, i) =>
      `    ${number(value)} ${i} ${number(high - value)} ${number(value - low)}`
    ),
    "  };",
    "\\end{axis}",
    "\\end{tikzpicture}",
    "",
  ].join("\n");
}

function within(ratio: number): number {
  return Math.min(MAX, Math.max(MIN, ratio));
}

function number(value: number): string {
  return value.toFixed(5);
}
