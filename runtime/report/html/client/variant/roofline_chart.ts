/// <reference lib="dom" />
import { rate } from "../../../../analysis/op_groups.ts";
import { shownPhases } from "../../../../record/phases.ts";
import type { OpRecord, Peaks } from "../../../../result/schema.ts";
import { formatCounted, formatNumber } from "../../../format.ts";
import { LEFT, RIGHT } from "../../../plots/plot.ts";
import { type PlacedOp, rooflineTable } from "../../../profile/roofline.ts";
import { el, svg, swatch } from "../dom.ts";
import { nameText } from "../names.ts";
import { numberText, percentText, tickText } from "../numbers.ts";
import { phaseColor } from "../palette.ts";
import { sizedFigure } from "../picture.ts";
import { decades, logScale, type Scale } from "../../../scale.ts";
import type { VariantContext } from "../context.ts";
import { hrefOf } from "../route.ts";
import { type Content, tableContent } from "../section.ts";
import { noOps } from "./ops.ts";

const HEIGHT = 340;
const FRAME = { left: LEFT, right: RIGHT, top: 14, bottom: 38 };

interface Point extends PlacedOp {
  readonly intensity: number;
  readonly speed: number;
}

interface Axes {
  readonly x: Scale;
  readonly y: Scale;
  /** Right end of x. */
  readonly right: number;
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
}

/**
 * Returns a chart of ops by intensity and speed on logarithmic axes, under the adapter's ceilings. Arrow keys move
 * between ops by time, Enter goes to an op's row.
 */
export function rooflineChart(placed: readonly PlacedOp[], peaks: Peaks, href: (op: OpRecord) => string): HTMLElement {
  const points = placed.flatMap((one): Point[] => {
    const { op: { flops, median }, placement: { intensity } } = one;
    const speed = rate(flops, median);
    return intensity === null || intensity <= 0 || !speed ? [] : [{ ...one, intensity, speed: speed * 1e9 }];
  }).sort((a, b) => (b.op.median ?? 0) - (a.op.median ?? 0));
  return sizedFigure(
    { "data-points": points.length },
    (width) => draw(points, axesFor(points, peaks, width), peaks, href),
  );
}

function draw(
  points: readonly Point[],
  axes: Axes,
  peaks: Peaks,
  href: (op: OpRecord) => string,
): readonly HTMLElement[] {
  const longest = points[0]?.op.median ?? 1;
  const readout = el("p", { class: "readout", "aria-live": "polite" }, "Point at an op, or use the arrow keys");
  const circles = points.map((point) => circle(point, axes, longest));
  const chart = svg(
    "svg",
    {
      viewBox: `0 0 ${axes.right + FRAME.right} ${HEIGHT}`,
      class: "roofline",
      tabindex: 0,
      role: "application",
      "aria-roledescription": "chart",
      "aria-label": `Roofline of ${points.length} ops. Arrow keys move between ops, the longest first.`,
    },
    ...gridLines(axes),
    ...ceilings(axes, peaks),
    ...circles.toReversed(),
    ...ceilingLabels(axes, peaks),
  );
  let current = -1;
  const select = (i: number) => {
    if (points.length === 0) return;
    circles[current]?.classList.remove("current");
    current = (i + points.length) % points.length;
    circles[current]!.classList.add("current");
    chart.insertBefore(circles[current]!, chart.querySelector("text.ceiling"));
    readout.replaceChildren(...describe(points[current]!, href));
  };
  circles.forEach((circle, i) => {
    circle.addEventListener("pointerenter", () => select(i));
    circle.addEventListener("click", () => location.hash = href(points[i]!.op));
  });
  chart.addEventListener("keydown", (event) => {
    const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step !== undefined) select(current < 0 && step < 0 ? points.length - 1 : current + step);
    else if (event.key === "Enter" && current >= 0) location.hash = href(points[current]!.op);
    else return;
    event.preventDefault();
  });
  const legend = el(
    "div",
    { class: "legend" },
    ...shownPhases(points.map(({ op }) => op.phase)).map(({ name, label }) =>
      el("span", {}, swatch(phaseColor(name), "dot"), label)
    ),
  );
  return [legend, el("div", {}, chart), readout];
}

function axesFor(points: readonly Point[], { f32, f16, copy }: Peaks, width: number): Axes {
  const top = Math.max(f32.value, f16?.value ?? 0);
  const xs = [...points.map(({ intensity }) => intensity), f32.value / copy.value, top / copy.value];
  const ys = [...points.map(({ speed }) => speed), f32.value, top];
  const [[x0, x1], [y0, y1]] = [rangeOf(xs), rangeOf(ys)];
  const right = width - FRAME.right;
  return {
    right,
    x: logScale([x0, x1], [FRAME.left, right]),
    y: logScale([y0, y1], [HEIGHT - FRAME.bottom, FRAME.top]),
    from: [x0, y0],
    to: [x1, y1],
  };
}

/** Returns the ranges of the axes, without stretching them to impossible values. */
function rangeOf(values: readonly number[]): [number, number] {
  const likely = values.filter((value) => value > 1e-12 && value < 1e18);
  return likely.length === 0 ? [1, 10] : [Math.min(...likely) / 1.8, Math.max(...likely) * 1.8];
}

function gridLines({ x, y, right, from, to }: Axes): SVGElement[] {
  const bottom = HEIGHT - FRAME.bottom;
  return [
    ...decades(from[0], to[0]).flatMap((tick) => [
      svg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: FRAME.top, y2: bottom }),
      svg("text", { x: x(tick), y: bottom + 15, "text-anchor": "middle" }, tickText(tick)),
    ]),
    ...decades(from[1], to[1]).flatMap((tick) => [
      svg("line", { class: "grid", x1: FRAME.left, x2: right, y1: y(tick), y2: y(tick) }),
      svg("text", { x: FRAME.left - 6, y: y(tick) + 4, "text-anchor": "end" }, tickText(tick / 1e9)),
    ]),
    svg("text", { class: "title", x: right, y: HEIGHT - 6, "text-anchor": "end" }, "FLOP per byte"),
    svg("text", { class: "title", x: 4, y: FRAME.top - 2 }, "GFLOP/s"),
  ];
}

/** Returns a flat ceiling for each number type, the highest first. */
function flatCeilings({ f32, f16 }: Peaks): { readonly name: string; readonly value: number }[] {
  return [
    { name: "f32", value: f32.value },
    ...f16 === null ? [] : [{ name: "f16", value: f16.value }],
  ].sort((a, b) => b.value - a.value);
}

/** End points of the slope that the copy bandwidth allows: its start, and where it meets the highest ceiling. */
function slope({ from }: Axes, peaks: Peaks): readonly [start: number, ridge: number] {
  const copy = peaks.copy.value;
  return [Math.max(from[0], from[1] / copy), flatCeilings(peaks)[0]!.value / copy];
}

function ceilings(axes: Axes, peaks: Peaks): SVGElement[] {
  const { x, y, to } = axes;
  const copy = peaks.copy.value;
  const [start, ridge] = slope(axes, peaks);
  return [
    svg("line", { class: "ceiling", x1: x(start), y1: y(start * copy), x2: x(ridge), y2: y(ridge * copy) }),
    ...flatCeilings(peaks).map(({ value }) =>
      svg("line", { class: "ceiling", x1: x(value / copy), x2: x(to[0]), y1: y(value), y2: y(value) })
    ),
  ];
}

/** Room that the label of the slope needs to be left of the line. */
const SLOPE_LABEL = 110;

/** Returns the labels of the ceilings, drawn above the points for legibility. */
function ceilingLabels(axes: Axes, peaks: Peaks): SVGElement[] {
  const { x, y } = axes;
  const copy = peaks.copy.value;
  const [start, ridge] = slope(axes, peaks);
  const middle = Math.sqrt(start * ridge);
  const left = x(middle) - FRAME.left > SLOPE_LABEL;
  return [
    svg("text", {
      class: "ceiling",
      x: x(middle) + (left ? -8 : 8),
      y: y(middle * copy) + (left ? -2 : 12),
      "text-anchor": left ? "end" : "start",
    }, `copy ${formatNumber(copy / 1e9)} GB/s`),
    ...flatCeilings(peaks).map(({ name, value }, i) =>
      svg("text", {
        class: "ceiling",
        x: axes.right,
        y: y(value) + (i === 0 ? -5 : 13),
        "text-anchor": "end",
      }, `${name} ${formatNumber(value / 1e9)} GFLOP/s`)
    ),
  ];
}

function circle({ op, intensity, speed }: Point, { x, y }: Axes, longest: number): SVGElement {
  const radius = 2.5 + 9 * Math.sqrt((op.median ?? 0) / (longest || 1));
  const made = svg("circle", { cx: x(intensity), cy: y(speed), r: radius }, svg("title", {}, nameText(op.name)));
  made.style.setProperty("--color", `var(${phaseColor(op.phase)})`);
  return made;
}

function describe({ op, intensity, speed, placement }: Point, href: (op: OpRecord) => string): (Node | string)[] {
  return [
    el("strong", {}, el("a", { href: href(op), tabindex: -1 }, nameText(op.name))),
    ` ${numberText(op.median)} ms · ${numberText(intensity)} FLOP/byte · ${numberText(speed / 1e9)} GFLOP/s · ` +
    `${placement.bound}-bound, ${percentText(placement.share)} of the roof`,
  ];
}

/** Returns the section of ops under the adapter's roofline. */
export function rooflineSection(context: VariantContext): Content {
  const { overview: { roofline }, variant } = context;
  const missing = noOps(context) ?? (roofline === null ? "the adapter's peaks were not measured" : null);
  if (missing !== null || roofline === null) return missing ?? "";
  const spec = rooflineTable(roofline, variant, null);
  if (spec.rows.length === 0) return "no op's work is known";
  const href = (op: OpRecord) => hrefOf({ variant: variant.name, anchor: `op:${op.id}` });
  return {
    about: `${formatCounted(spec.rows.length, "op")}; the area of a point is the op's time per step`,
    content: [
      rooflineChart(spec.rows, roofline.peaks, href),
      ...tableContent(spec, {
        limit: 15,
        cells: {
          op: ({ op }, text) =>
            el("span", { class: "name" }, swatch(phaseColor(op.phase)), el("a", { href: href(op) }, text)),
        },
      }),
    ],
  };
}
