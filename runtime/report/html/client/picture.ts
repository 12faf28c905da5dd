/// <reference lib="dom" />
import { type Plot, WIDTH } from "../../plots/plot.ts";
import { svg } from "./dom.ts";
import { nameText } from "./names.ts";
import { sizedFigure } from "./sized_figure.ts";

/** Returns a plot as a figure of any width; null without a plot. */
export function picture(plot: (width: number) => Plot | null): HTMLElement | null {
  if (plot(WIDTH) === null) return null;
  return sizedFigure({}, (width) => {
    const made = plot(width);
    return made === null ? [] : [drawn(made)];
  });
}

function drawn({ title, about, width, height, shapes }: Plot): SVGElement {
  return svg(
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
}
