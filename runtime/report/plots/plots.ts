/**
 * Plots of a result, in the order of the report. A new plot takes a file and one line here.
 *
 * @module
 */
import base from "../html/style/base.css" with { type: "text" };
import style from "../html/style/plots.css" with { type: "text" };
import { memoryTotals } from "../../analysis/memory_points.ts";
import type { Result } from "../../result/schema.ts";
import { blocksPlot } from "./blocks.ts";
import { effectsPlot, speedPlot } from "./intervals.ts";
import { ladderPlot } from "./ladder.ts";
import { layersPlot } from "./layers.ts";
import { memoryPlot } from "./memory.ts";
import { phasesPlot } from "./phases.ts";
import type { Plot, Plotted, Shape } from "./plot.ts";
import { escapeHtml } from "../html/escape.ts";

const PLOTS: readonly ((of: Plotted) => Plot | null)[] = [
  speedPlot,
  blocksPlot,
  phasesPlot,
  memoryPlot,
  effectsPlot,
  ladderPlot,
];

/** Returns the plots of a result that have anything to show. */
export function plotsOf(result: Result): Plot[] {
  const variants = result.variants.map((variant) => ({
    ...variant,
    memoryOverStep: memoryTotals(variant.profile?.memory ?? []),
  }));
  const layers = layersPlot(result);
  return [...PLOTS.flatMap((plot) => plot({ ...result, variants }) ?? []), ...layers === null ? [] : [layers]];
}

/** Returns a plot as an SVG file, in the colours of the report for light and dark viewers. */
export function svgFile({ title, about, width, height, shapes }: Plot): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" class="picture" viewBox="0 0 ${width} ${height}" width="${width}" \
height="${height}" role="img"><title>${escapeHtml(`${title}. ${about}`)}</title><style>${css()}</style>
<rect class="paper" width="${width}" height="${height}"/>
${shapes.map(element).join("\n")}
</svg>
`;
}

function element({ tag, attributes, text }: Shape): string {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeHtml(String(value))}"`).join("");
  const inner = text === undefined ? "" : tag === "text" ? escapeHtml(text) : `<title>${escapeHtml(text)}</title>`;
  return `<${tag}${written}>${inner}</${tag}>`;
}

/** Returns the rules of plots with the page's colours; viewers of SVG know media queries, but not always `light-dark()`. */
function css(): string {
  const colors = [...base.matchAll(/(--[\w-]+): light-dark\((#\w+), (#\w+)\);/g)];
  const block = (place: 2 | 3) => `:root { ${colors.map((found) => `${found[1]}: ${found[place]};`).join(" ")} }`;
  return `${block(2)} @media (prefers-color-scheme: dark) { ${block(3)} } .paper { fill: var(--paper); } ${
    style.replaceAll(/\s+/g, " ").trim()
  }`;
}
