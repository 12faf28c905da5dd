/// <reference lib="dom" />
import type { Plot } from "../../plots/plot.ts";
import { el, svg } from "./dom.ts";
import { nameText } from "./names.ts";

/** Returns a plot as a figure that scrolls where the window is narrow; null without a plot. */
export function picture(plot: Plot | null): HTMLElement | null {
  if (plot === null) return null;
  const { title, about, width, height, shapes } = plot;
  const drawn = svg(
    "svg",
    {
      class: "picture",
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": nameText(`${title}. ${about}`, 400),
    },
    ...shapes.map(({ tag, attributes, text }) =>
      svg(tag, attributes, text === undefined ? null : tag === "text" ? text : svg("title", {}, text))
    ),
  );
  const frame = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `${title}, picture` }, drawn);
  return el("figure", { class: "chart" }, frame);
}
