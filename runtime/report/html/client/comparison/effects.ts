/// <reference lib="dom" />
import type { Effect } from "../../../../result/schema.ts";
import type { Overview } from "../../embedded.ts";
import { IntervalPlot } from "../chart/interval_plot.ts";
import { nameText } from "../names.ts";
import { estimateText, pText } from "../numbers.ts";
import type { Section } from "../section.ts";
import { createTable } from "../table.ts";

/** What each setting of a sweep brings, alone and together with others. */
export function effectsSection({ effects, variants }: Overview): Section {
  const base = {
    anchor: "effects",
    title: "Effects of settings",
    about: "Times the speed; an interaction is what several settings bring beyond what each does alone",
  };
  if (effects.length === 0) {
    return {
      ...base,
      content: variants.length < 2 ? "there is one variant" : "the variants are no whole product of settings",
    };
  }
  const plot = new IntervalPlot(effects.map(({ ratio }) => ({ ...ratio, band: null, tone: null })));
  const table = createTable<Effect>({
    caption: "Effects of settings on speed",
    columns: [
      { title: "setting", align: "left", breakable: true, value: describe },
      { title: "kind", align: "left", value: ({ factors }) => factors.length === 1 ? "alone" : "interaction" },
      {
        title: "effect",
        align: "left",
        value: ({ ratio }) => ratio.value,
        show: ({ ratio }) =>
          plot.row({ ...ratio, band: null, tone: null }, `Effect ${estimateText(ratio.value, ratio.low, ratio.high)}`),
        under: () => plot.axis(),
      },
      {
        title: "×",
        value: ({ ratio }) => ratio.value,
        show: ({ ratio }) => estimateText(ratio.value, ratio.low, ratio.high),
      },
      { title: "p", value: ({ p }) => p, show: ({ p }) => p === null ? null : pText(p) },
      {
        title: "p, Holm",
        value: ({ adjustedP }) => adjustedP,
        show: ({ adjustedP: p }) => p === null ? null : pText(p),
      },
    ],
    rows: effects,
  });
  return { ...base, content: [table.element] };
}

function describe({ factors }: Effect): string {
  return factors.map(({ setting, from, to }) => `${nameText(setting, 60)} ${nameText(from, 40)} → ${nameText(to, 40)}`)
    .join(" × ");
}
