/// <reference lib="dom" />
import { nameText } from "../names.ts";
import { linearTicks } from "../../../scale.ts";
import { colorOf } from "../theme.ts";
import type { Counter, Timeline, TimelineSpan } from "./decode.ts";
import { COUNTER_HEIGHT, firstEndingAfter, ROW_HEIGHT, type TimelineLayout } from "./layout.ts";
import type { View } from "./view.ts";

/** Input for painting the timeline. */
export interface Scene {
  readonly timeline: Timeline;
  readonly layout: TimelineLayout;
  readonly view: View;
  readonly selected: TimelineSpan | null;
  /** Name of a CSS variable. */
  readonly colorOfSpan: (span: TimelineSpan) => string;
}

/** Smallest width of a span with a label, in pixels. */
const MIN_NAMED = 26;

/** Paints the visible part; `width` is in CSS pixels. */
export function paintTimeline(canvas: HTMLCanvasElement, width: number, scene: Scene): void {
  const { layout } = scene;
  const ratio = devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(layout.height * ratio);
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.scale(ratio, ratio);
  new Painter(context, width, scene).paint();
}

class Painter {
  readonly #context: CanvasRenderingContext2D;
  readonly #width: number;
  readonly #scene: Scene;
  readonly #colors = new Map<string, string>();

  constructor(context: CanvasRenderingContext2D, width: number, scene: Scene) {
    this.#context = context;
    this.#width = width;
    this.#scene = scene;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
  }

  paint(): void {
    this.#axis();
    const { timeline: { tracks, counters }, layout, selected } = this.#scene;
    for (const [i, { rows }] of tracks.entries()) {
      for (const [row, spans] of rows.entries()) this.#row(spans, layout.tracks[i]! + row * ROW_HEIGHT);
    }
    for (const [i, counter] of counters.entries()) this.#counter(counter, layout.counters[i]!);
    this.#arrows();
    if (selected !== null) this.#outline(selected);
  }

  #x(time: number): number {
    const { from, to } = this.#scene.view;
    return (time - from) / (to - from) * this.#width;
  }

  #color(variable: string): string {
    let color = this.#colors.get(variable);
    if (color === undefined) this.#colors.set(variable, color = colorOf(variable));
    return color;
  }

  #axis(): void {
    const { view: { from, to }, layout: { height } } = this.#scene;
    const context = this.#context;
    context.fillStyle = this.#color("--quiet");
    context.strokeStyle = this.#color("--line");
    for (const tick of linearTicks(from / 1000, to / 1000, Math.max(2, this.#width / 110))) {
      const x = Math.round(this.#x(tick * 1000)) + 0.5;
      context.beginPath();
      context.moveTo(x, 16);
      context.lineTo(x, height);
      context.stroke();
      context.fillText(`${Number(tick.toPrecision(9))} ms`, x + 3, 8);
    }
  }

  #row(spans: readonly TimelineSpan[], top: number): void {
    const { from, to } = this.#scene.view;
    const context = this.#context;
    let painted = -1;
    for (let i = firstEndingAfter(spans, from); i < spans.length && spans[i]!.start < to; i++) {
      const span = spans[i]!;
      const [left, right] = [Math.max(-2, this.#x(span.start)), Math.min(this.#width + 2, this.#x(span.end))];
      const width = Math.max(0.75, right - left - 0.5);
      // Spans within the last painted pixel would not be visible
      if (left + width <= painted) continue;
      painted = Math.max(painted, Math.floor(left) + 1);
      const color = this.#color(this.#scene.colorOfSpan(span));
      context.fillStyle = color;
      context.fillRect(left, top, width, ROW_HEIGHT - 1);
      if (width >= MIN_NAMED) this.#name(span, color, left, top, width);
    }
  }

  #name({ name }: TimelineSpan, ground: string, left: number, top: number, width: number): void {
    const context = this.#context;
    context.save();
    context.beginPath();
    context.rect(left, top, width - 3, ROW_HEIGHT - 1);
    context.clip();
    context.fillStyle = inkOn(ground);
    context.fillText(nameText(name, 80), Math.max(left, 0) + 4, top + ROW_HEIGHT / 2);
    context.restore();
  }

  #counter({ times, values, highest }: Counter, top: number): void {
    const { from, to } = this.#scene.view;
    const context = this.#context;
    const height = (value: number) => highest > 0 ? Math.max(0, value) / highest * (COUNTER_HEIGHT - 2) : 0;
    const bottom = top + COUNTER_HEIGHT;
    context.fillStyle = this.#color("--counter");
    context.beginPath();
    context.moveTo(0, bottom);
    const first = Math.max(0, times.findLastIndex((time) => time <= from));
    for (let i = first; i < times.length && times[i]! < to; i++) {
      const [x, next] = [Math.max(0, this.#x(times[i]!)), Math.min(this.#width, this.#x(times[i + 1] ?? to))];
      const y = bottom - height(values[i]!);
      context.lineTo(x, i === first ? bottom : bottom - height(values[i - 1]!));
      context.lineTo(x, y);
      context.lineTo(next, y);
    }
    context.lineTo(this.#width, bottom);
    context.fill();
  }

  #arrows(): void {
    const { timeline: { arrows, tracks }, layout, view: { from, to } } = this.#scene;
    const context = this.#context;
    context.strokeStyle = this.#color("--quiet");
    for (const { from: [fromTrack, start], to: [toTrack, end] } of arrows) {
      if (end < from || start > to || tracks[fromTrack] === undefined || tracks[toTrack] === undefined) continue;
      const [x0, x1] = [this.#x(start), this.#x(end)];
      const [y0, y1] = [layout.tracks[fromTrack]! + ROW_HEIGHT, layout.tracks[toTrack]!];
      context.beginPath();
      context.moveTo(x0, y0);
      context.bezierCurveTo(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2, x1, y1);
      context.stroke();
    }
  }

  #outline({ start, end, track, row }: TimelineSpan): void {
    const context = this.#context;
    const top = this.#scene.layout.tracks[track]! + row * ROW_HEIGHT;
    const [left, right] = [Math.max(-2, this.#x(start)), Math.min(this.#width + 2, this.#x(end))];
    context.strokeStyle = this.#color("--ink");
    context.lineWidth = 2;
    context.strokeRect(left, top - 0.5, Math.max(2, right - left), ROW_HEIGHT);
    context.lineWidth = 1;
  }
}

/** Returns black or white, whichever is easier to read on a colour. Weights: luma of ITU-R BT.601. */
function inkOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number);
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? "#10151c" : "#ffffff";
}
