/// <reference lib="dom" />
import { effectsTable } from "../../../outcome/effects.ts";
import { isMerged } from "../../../matrix/column.ts";
import type { Overview } from "../../embedded.ts";
import { IntervalPlot } from "../../../interval_plot.ts";
import { effectsPlot } from "../../../plots/intervals.ts";
import { ON_NODES } from "../context.ts";
import { el, svg } from "../dom.ts";
import { picture } from "../picture.ts";
import { type Content, tableContent } from "../section.ts";
import { frontTable } from "../../../outcome/front.ts";
import { seedsTable } from "../../../outcome/seeds.ts";

/** Returns the section of the effects of a sweep's settings. */
export function effectsSection(overview: Overview): Content {
  if (overview.effects.length === 0) {
    if (isMerged(overview)) return ON_NODES;
    const isAlone = overview.variants.length < 2;
    return isAlone ? "only one variant" : "the variants are not a full grid of settings";
  }
  const spec = effectsTable(overview);
  const plot = new IntervalPlot<SVGElement>(spec.rows.map(({ ratio }) => ({ ...ratio, band: null, tone: null })), svg);
  const content = tableContent(spec, {
    cells: {
      ratio: ({ ratio }, text) =>
        el("span", { class: "plotted" }, plot.row({ ...ratio, band: null, tone: null }, text), text),
    },
    headings: { ratio: () => plot.axis() },
  });
  return [picture((width) => effectsPlot(overview, width)), ...content];
}

/** Returns the section of a sweep's best variants. */
export function frontSection(overview: Overview): Content {
  const spec = frontTable(overview);
  if (spec.rows.length === 0) {
    if (isMerged(overview)) return ON_NODES;
    const isSwept = overview.variants.some(({ axes }) => Object.keys(axes).length > 0);
    return isSwept ? "fewer than two variants could be compared" : "the variants are not a sweep";
  }
  return tableContent(spec);
}

/** Returns the section of losses and accuracies over several seeds. */
export function seedsSection(overview: Overview): Content {
  const spec = seedsTable(overview);
  return spec.rows.length === 0 ? "each variant was trained once" : tableContent(spec);
}
