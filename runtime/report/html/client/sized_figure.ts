/// <reference lib="dom" />
import { WIDTH } from "../../plots/plot.ts";
import { type Attributes, type Child, el } from "./dom.ts";

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
