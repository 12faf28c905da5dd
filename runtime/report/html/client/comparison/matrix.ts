/// <reference lib="dom" />
import type { ComparedResult, ComparedVariant, MatrixColumn } from "../../../matrix/column.ts";
import { variantColumns } from "../../../matrix/axes.ts";
import { speedTable } from "../../../matrix/speed.ts";
import { timesTable } from "../../../matrix/times.ts";
import type { Overview } from "../../embedded.ts";
import { intervalOf, IntervalPlot } from "../../../interval_plot.ts";
import type { TableSpec } from "../../../spec.ts";
import { type Child, el, svg, swatch } from "../dom.ts";
import { nameText } from "../names.ts";
import { variantColor } from "../palette.ts";
import { hrefOf } from "../route.ts";
import { type Content, notes } from "../section.ts";
import { createTable } from "../table.ts";

const SIGNS = { faster: "▲", slower: "▼", same: "=", unclear: "?", invalid: "✕" } as const;

/** Returns the section of the comparison: speeds relative to the baseline, drawn and in figures, and times of a step. */
export function matrixSection(overview: Overview): Content {
  const { variants, baseline, foot } = overview;
  if (variants.length === 0) return "the result has no variants";
  const places = new Map<ComparedVariant, number>(variants.map((variant, i) => [variant, i]));
  const plot = new IntervalPlot<SVGElement>(variants.map(intervalOf).filter((interval) => interval !== null), svg);
  const variant = (row: ComparedVariant, text: string) => variantCell(row, text, places.get(row)!, baseline);
  const rowClass = ({ name, status }: ComparedVariant) =>
    status === "ok" ? name === baseline ? "baseline" : null : "broken";
  const speed = createTable(pageSpeedTable(overview), {
    limit: 200,
    rowClass,
    cells: {
      variant,
      ratio: (row, text) => {
        const interval = intervalOf(row);
        return interval === null || variants.length < 2
          ? text
          : el("span", { class: "plotted" }, plot.row(interval, text), text);
      },
      verdict: verdictCell,
      findings: ({ name }, text) => el("a", { href: hrefOf({ variant: name, anchor: "findings" }) }, text),
    },
    headings: variants.length < 2 ? {} : { ratio: () => plot.axis() },
  });
  const timed = timesTable(overview);
  const times = timed.rows.length === 0 ? null : createTable(timed, { limit: 200, rowClass, cells: { variant } });
  return [speed.element, times?.element ?? null, notes(foot.open), method(foot.folded)];
}

/** Returns the table of speeds with the verdict beside the names, where a narrow window shows it. */
export function pageSpeedTable(result: ComparedResult): TableSpec<ComparedVariant> {
  const spec = speedTable(result);
  const names = variantColumns(result.variants).length;
  const rank = (column: MatrixColumn) => spec.columns.indexOf(column) < names ? 0 : column.name === "verdict" ? 1 : 2;
  return { ...spec, columns: spec.columns.toSorted((a, b) => rank(a) - rank(b)) };
}

/** Returns the notes on the method and the legend, folded. */
function method(lines: readonly string[]): Child {
  const list = notes(lines);
  return list && el("details", { class: "more" }, el("summary", {}, "How this was measured, and the columns"), list);
}

function variantCell({ name, status }: ComparedVariant, text: string, place: number, baseline: string): Child {
  const words = [name === baseline && name !== "baseline" ? "baseline" : "", status === "ok" ? "" : status];
  return el(
    "span",
    { class: "name", "data-status": words.filter((word) => word !== "").join(", ") || null },
    swatch(variantColor(place), "dot"),
    el("a", { href: hrefOf({ variant: name, anchor: "steps" }), title: nameText(name, 400) }, text),
  );
}

/** Returns the verdict with its sign, and its reason as the tooltip. */
function verdictCell({ verdict, comparison }: ComparedVariant, text: string): Child {
  if (verdict === null) return text;
  const reason = comparison === null ? null : nameText(comparison.reason, 400);
  const sign = el("span", { "aria-hidden": "true" }, SIGNS[verdict]);
  return el("span", { class: `verdict ${verdict}`, title: reason }, sign, text);
}
