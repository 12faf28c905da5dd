/**
 * Results as notebooks show them: tables with the interval plot as HTML, and the text of a terminal for frontends without
 * HTML.
 *
 * @module
 */
import type { Result } from "../../result/schema.ts";
import { escapeHtml } from "../html/escape.ts";
import { intervalOf, IntervalPlot, type MakeSvg } from "../interval_plot.ts";
import type { ComparedVariant } from "../matrix/column.ts";
import { footFacts, footSigns } from "../matrix/foot.ts";
import { headSentences } from "../matrix/head.ts";
import { renderMatrix } from "../matrix/matrix.ts";
import { speedTable } from "../matrix/speed.ts";
import { timesTable } from "../matrix/times.ts";
import { renderOutcome } from "../outcome/outcome.ts";
import { htmlTable } from "./html_table.ts";
import style from "./notebook.css" with { type: "text" };

/** Representations of a value by MIME type, as Jupyter displays them. */
export interface MimeBundle {
  readonly "text/html": string;
  readonly "text/plain": string;
}

/** Columns of the text. */
const COLUMNS = 100;

/** Renders a result for a notebook. Works in light and in dark themes, without scripts. */
export function renderNotebook(result: Result): MimeBundle {
  const look = { columns: COLUMNS, color: false };
  const outcome = renderOutcome(result, { ...look, raw: false, advice: false });
  return { "text/plain": outcome + renderMatrix(result, look), "text/html": html(result, outcome) };
}

function html(result: Result, outcome: string): string {
  const [first = "", ...sentences] = headSentences(result);
  const { variants } = result;
  const plot = new IntervalPlot(variants.flatMap((variant) => intervalOf(variant) ?? []), svgText);
  const cells = variants.length < 2 ? {} : {
    cells: {
      ratio: (variant: ComparedVariant, text: string) => {
        const interval = intervalOf(variant);
        return interval === null ? text : plotted(plot.row(interval, text), text);
      },
    },
    headings: { ratio: (text: string) => plotted(plot.axis(), text) },
  };
  const notes = [...footFacts(result).map(({ text }) => text), ...footSigns(result)];
  const failures = variants.flatMap(({ name, error }) => error === null ? [] : [`${name} failed: ${error.message}`]);
  return [
    `<div class="tacho-result"><style>${style}</style>`,
    `<p><strong>${escapeHtml(first)}</strong></p>`,
    sentences.length === 0 ? "" : `<p>${sentences.map(escapeHtml).join("<br>")}</p>`,
    ...failures.map((failure) => `<p class="bad">${escapeHtml(failure)}</p>`),
    htmlTable(speedTable(result), cells),
    htmlTable(timesTable(result)),
    `<details><summary>How this was measured</summary><ul>${
      notes.map((note) => `<li>${escapeHtml(note)}</li>`).join("")
    }</ul></details>`,
    outcome.trim() === "" ? "" : `<pre>${outcome.trim().split("\n").map(escapeHtml).join("\n")}</pre>`,
    "</div>",
  ].filter((part) => part !== "").join("\n");
}

/** Returns a part of the plot with text beside it; all have the same width, so that the axis fits. */
function plotted(svg: string, text: string): string {
  return `<span class="plotted">${svg}<span class="ratio">${text}</span></span>`;
}

const svgText: MakeSvg<string> = (tag, attributes, ...children) => {
  const written = Object.entries(attributes).filter(([, value]) => value !== null)
    .map(([name, value]) => ` ${name}="${escapeHtml(String(value))}"`).join("");
  // Only `text` has a text as its child; all others are elements
  const inner = children.map((child) => child === null ? "" : tag === "text" ? escapeHtml(child) : child).join("");
  return `<${tag}${written}>${inner}</${tag}>`;
};
