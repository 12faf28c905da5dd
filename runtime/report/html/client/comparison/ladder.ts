/// <reference lib="dom" />
import type { Comparison, Ladder } from "../../../../result/schema.ts";
import { MISSING } from "../../../format.ts";
import { ladderTable } from "../../../outcome/ladder.ts";
import type { Overview } from "../../embedded.ts";
import { copyButton } from "../clipboard.ts";
import { type Child, el, svg } from "../dom.ts";
import { type Interval, IntervalPlot } from "../../../interval_plot.ts";
import { ladderPlot } from "../../../plots/ladder.ts";
import { picture } from "../picture.ts";
import { hrefOf } from "../route.ts";
import { type Content, tableContent } from "../section.ts";

/** Returns the section of the tuning ladder: settings that were tried in turn, each measured against the one before. */
export function ladderSection(overview: Overview): Content {
  const { ladder, variants } = overview;
  if (ladder === null) return "tuning was off (--tune)";
  const cites = new Set(variants.find(({ name }) => name === ladder.variant)?.findings.map(({ kind }) => kind));
  return {
    about: ladderTable(ladder).title,
    content: [picture((width) => ladderPlot(overview, width)), ...rungs(ladder, cites), patch(ladder)],
  };
}

function rungs(ladder: Ladder, cites: ReadonlySet<string>): Child[] {
  const spec = ladderTable(ladder);
  const plot = new IntervalPlot<SVGElement>(
    ladder.rungs.flatMap(({ measured }) => measured === null ? [] : [intervalOf(measured)]),
    svg,
  );
  return tableContent(spec, {
    cells: {
      "because of": ({ rung }, text) => {
        if (rung === null || !cites.has(rung.finding)) return text;
        return el("a", { href: hrefOf({ variant: ladder.variant, anchor: `finding:${rung.finding}` }) }, text);
      },
      "measured gain": ({ rung }, text) => {
        return rung?.measured == null
          ? text
          : el("span", { class: "plotted" }, plot.row(intervalOf(rung.measured), text), text);
      },
      remark: (_, text) => el("span", { class: "prose" }, text),
    },
    headings: { "measured gain": () => plot.axis() },
  });
}

function intervalOf({ speedup, band }: Comparison): Interval {
  return { ...speedup, band, tone: null };
}

function patch({ patch, rungs }: Ladder): HTMLElement {
  if (patch === null || !rungs.some(({ kept }) => kept)) {
    const why = rungs.some(({ kept }) => kept)
      ? "the kept settings cannot be written as a patch to the script"
      : "no rung was kept, so the script needs no change";
    return el("p", { class: "missing" }, `${MISSING} ${why}`);
  }
  return el(
    "details",
    { class: "data" },
    el("summary", {}, "Patch for the script"),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Patch" }, el("pre", {}, patch)),
    copyButton("the patch", () => patch),
  );
}
