/**
 * Plots as plain data, which the HTML report draws as elements and a folder gets as SVG files. Colours are classes: `c1` to
 * `c8` for variants, and the names of phases.
 *
 * @module
 */
import type { Effect, Ladder } from "../../result/schema.ts";
import type { ComparedVariant } from "../matrix/column.ts";

/** An SVG element without children other than text. */
export interface Shape {
  readonly tag: "line" | "rect" | "circle" | "text" | "polyline";
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Text of a `text`, or the tooltip of others. */
  readonly text?: string;
}

export interface Plot {
  /** Name of its file, without the extension. */
  readonly name: string;
  readonly title: string;
  /** Line that says how to read it. */
  readonly about: string;
  readonly width: number;
  readonly height: number;
  readonly shapes: readonly Shape[];
}

/** Width of plots in files. */
export const WIDTH = 860;

/** Room left of the axis and, without labels, right of it. */
export const [LEFT, RIGHT] = [52, 12];

/** Number of colours of variants; more variants share them. */
const COLORS = 8;

/** Returns the class of a variant's colour, by its place in the result. */
export function colorClass(index: number): string {
  return `c${index % COLORS + 1}`;
}

type Attributes = Shape["attributes"];

export function line(x1: number, y1: number, x2: number, y2: number, attributes: Attributes = {}): Shape {
  return { tag: "line", attributes: { x1: round(x1), y1: round(y1), x2: round(x2), y2: round(y2), ...attributes } };
}

export function rect(
  x: number,
  y: number,
  width: number,
  height: number,
  attributes: Attributes,
  text?: string,
): Shape {
  const place = { x: round(x), y: round(y), width: round(Math.max(0, width)), height: round(height) };
  return { tag: "rect", attributes: { ...place, ...attributes }, ...text === undefined ? {} : { text } };
}

export function dot(cx: number, cy: number, r: number, attributes: Attributes, text?: string): Shape {
  return {
    tag: "circle",
    attributes: { cx: round(cx), cy: round(cy), r, ...attributes },
    ...text === undefined ? {} : { text },
  };
}

export function label(x: number, y: number, text: string, attributes: Attributes = {}): Shape {
  return { tag: "text", attributes: { x: round(x), y: round(y), ...attributes }, text };
}

export function polyline(points: readonly (readonly [x: number, y: number])[], attributes: Attributes): Shape {
  return {
    tag: "polyline",
    attributes: { points: points.map((point) => point.map(round).join(",")).join(" "), ...attributes },
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The part of a variant that plots use. */
export interface PlottedVariant extends ComparedVariant {
  /** Bytes in use while each op of a step runs; empty without a profile. */
  readonly memoryOverStep: readonly number[];
}

/** The part of a result that plots use. */
export interface Plotted {
  readonly baseline: string;
  readonly variants: readonly PlottedVariant[];
  readonly effects: readonly Effect[];
  readonly ladder: Ladder | null;
}
