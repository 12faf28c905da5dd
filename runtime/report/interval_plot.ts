import type { ComparedVariant } from "./matrix/column.ts";
import { linearTicks, logScale, type Scale } from "./scale.ts";

/** Ratio with its interval, if any, and the band around 1 that counts as no difference. */
export interface Interval {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly band: number | null;
  /** Class of its colour: the verdict, if any. */
  readonly tone: string | null;
}

/** Returns the measured comparison of a variant, or else the plain ratio of speeds; null without either. */
export function intervalOf({ comparison, metrics, verdict }: ComparedVariant): Interval | null {
  if (comparison !== null) return { ...comparison.speedup, band: comparison.band, tone: verdict };
  return metrics.speedup && { value: metrics.speedup.value, low: null, high: null, band: null, tone: verdict };
}

/** Smallest ratio on the axis; the largest is its inverse. */
const MIN = 1e-4;

const WIDTH = 176;
const HEIGHT = 22;
const AXIS_HEIGHT = 16;
const EDGE = 10;

/** Creates an SVG element from its attributes and children; null attributes and children are left out. */
export type MakeSvg<Element> = (
  tag: "svg" | "text" | "rect" | "line" | "circle",
  attributes: Readonly<Record<string, string | number | null>>,
  ...children: readonly (Element | string | null)[]
) => Element;

/** Draws ratios as dots with whiskers, one per row, on a common logarithmic axis. */
export class IntervalPlot<Element> {
  readonly #svg: MakeSvg<Element>;
  readonly #scale: Scale;
  readonly #domain: readonly [number, number];

  /** @param svg creates the elements: nodes of a page, or text */
  constructor(intervals: readonly Interval[], svg: MakeSvg<Element>) {
    this.#svg = svg;
    const ends = intervals.flatMap(({ value, low, high, band }) => {
      return [value, low ?? value, high ?? value, 1 + (band ?? 0), 1 / (1 + (band ?? 0))];
    }).filter((end) => end >= MIN && end <= 1 / MIN);
    const [least, most] = [Math.min(1, ...ends), Math.max(1, ...ends)];
    const room = Math.max(1.02, (most / least) ** 0.06);
    this.#domain = [least / room, most * room];
    this.#scale = logScale(this.#domain, [EDGE, WIDTH - EDGE]);
  }

  axis(): Element {
    const svg = this.#svg;
    const [from, to] = this.#domain;
    const ticks = this.#ticks();
    return svg(
      "svg",
      { class: "interval", width: WIDTH, height: AXIS_HEIGHT, "aria-hidden": "true" },
      ...ticks.filter((tick) => tick >= from && tick <= to).map((tick) =>
        svg("text", { x: this.#scale(tick), y: 12, "text-anchor": "middle" }, `×${Number(tick.toPrecision(3))}`)
      ),
    );
  }

  row({ value, low, high, band, tone }: Interval, label: string): Element {
    const svg = this.#svg;
    const middle = HEIGHT / 2;
    const at = this.#scale;
    const one = at(1);
    return svg(
      "svg",
      { class: `interval ${tone ?? ""}`, width: WIDTH, height: HEIGHT, role: "img", "aria-label": label },
      band === null || band === 0 ? null : svg("rect", {
        class: "band",
        x: at(1 / (1 + band)),
        y: 0,
        width: at(1 + band) - at(1 / (1 + band)),
        height: HEIGHT,
      }),
      svg("line", { class: "one", x1: one, x2: one, y1: 0, y2: HEIGHT }),
      ...(low === null || high === null ? [] : [
        svg("line", { class: "whisker", x1: at(low), x2: at(high), y1: middle, y2: middle }),
        svg("line", { class: "whisker", x1: at(low), x2: at(low), y1: middle - 4, y2: middle + 4 }),
        svg("line", { class: "whisker", x1: at(high), x2: at(high), y1: middle - 4, y2: middle + 4 }),
      ]),
      svg("circle", { cx: at(value), cy: middle, r: 4 }),
    );
  }

  /** Returns 1 and a few round ratios with room between them. */
  #ticks(): number[] {
    const [from, to] = this.#domain;
    const round = to / from > 6
      ? [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 2, 5, 10, 20, 50, 100, 1000]
      : linearTicks(from, to, 3);
    const kept: number[] = [1];
    for (const tick of round) {
      if (tick > 0 && kept.every((other) => Math.abs(this.#scale(other) - this.#scale(tick)) > 34)) kept.push(tick);
    }
    return kept;
  }
}
