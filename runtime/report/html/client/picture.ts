/// <reference lib="dom" />
import { type Plot, WIDTH } from "../../plots/plot.ts";
import { type Attributes, type Child, el, svg } from "./dom.ts";
import { nameText } from "./names.ts";

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

/** Returns a figure that `draw` fills for its width in pixels, again whenever the width changes. */
export function sizedFigure(attributes: Attributes, draw: (width: number) => readonly Child[]): HTMLElement {
  let drawn = WIDTH;
  const figure = el("figure", { class: "chart", ...attributes }, ...draw(drawn));
  const observer = new ResizeObserver(() => {
    if (!figure.isConnected) return observer.disconnect();
    const width = Math.floor(figure.clientWidth);
    if (width === 0 || width === drawn) return;
    drawn = width;
    figure.replaceChildren(...draw(width).filter((child) => child !== null));
  });
  observer.observe(figure);
  return figure;
}
