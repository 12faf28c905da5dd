/**
 * Padding in its modes.
 *
 * @module
 */
import { add } from "../../../ops/add.ts";
import { sub } from "../../../ops/arithmetic.ts";
import { take } from "../../../ops/gather.ts";
import { pad, slice } from "../../../ops/slice.ts";
import { InputError } from "../../core/errors.ts";
import { formatShape, type Shape } from "../../core/shape.ts";
import { tableEntry } from "../../core/table_entry.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Application } from "../application.ts";
import { limited } from "../host.ts";
import type { Operator } from "../operator.ts";
import { Constant } from "../value.ts";
import type { Pair } from "../window.ts";
import { axisOf } from "./reductions.ts";

/** Place in a dimension of `size` elements that an element before or after it repeats, by mode. */
const PLACES: Readonly<Record<string, (i: number, size: number) => number>> = {
  edge: (i, size) => Math.min(size - 1, Math.max(0, i)),
  reflect: (i, size) => {
    const period = Math.max(1, 2 * (size - 1));
    const place = ((i % period) + period) % period;
    return place < size ? place : period - place;
  },
  wrap: (i, size) => ((i % size) + size) % size,
};

/** Adds elements before and after each dimension; negative numbers take them away. */
const padding: Operator = {
  type: "Pad",
  build(node) {
    const x = node.tensor(0);
    const mode = node.attributes.string("mode", "constant");
    if (mode !== "constant") {
      node.attributes.ignore("only the mode constant has a value", "value");
      node.ignoreInput("only the mode constant has a value", 2);
    }
    const widths = widthsOf(node, x.shape);
    if (mode === "constant") {
      const value = node.number(2, "the value") ?? node.attributes.float("value", 0);
      const added = widths.map(([before, after]): Pair => [Math.max(0, before), Math.max(0, after)]);
      const isAdded = added.some(([before, after]) => before > 0 || after > 0);
      // The number that is added is a float; other integers are zeros around differences
      const isWhole = x.dtype === "i32" && value !== 0;
      const surrounded = isWhole ? () => add(pad(sub(x, value), added, 0), value) : () => pad(x, added, value);
      return cropped(isAdded ? surrounded() : x, widths);
    }
    const placeOf = tableEntry(PLACES, mode);
    if (placeOf === undefined) {
      throw new InputError(`mode is "${mode}"; expected constant, ${Object.keys(PLACES).join(", ")}`);
    }
    const inside = cropped(x, widths);
    return widths.reduce((y, sides, axis) => {
      const [before, after] = [Math.max(0, sides[0]), Math.max(0, sides[1])];
      if (before === 0 && after === 0) return y;
      const size = inside.shape[axis]!;
      const places = Array.from({ length: limited(size + before + after) }, (_, i) => placeOf(i - before, size));
      return take(y, node.toTensor(Constant.integers(places), `places${axis}`), axis);
    }, inside);
  },
};

/** Takes away elements where widths are negative. */
function cropped(x: Tensor, widths: readonly Pair[]): Tensor {
  if (widths.every(([before, after]) => before >= 0 && after >= 0)) return x;
  return slice(
    x,
    widths.map(([before, after], d) =>
      before >= 0 && after >= 0 ? null : [Math.max(0, -before), x.shape[d]! - Math.max(0, -after)]
    ),
  );
}

/** Numbers of elements before and after each dimension: an attribute before version 11, inputs from then on. */
function widthsOf(node: Application, shape: Shape): Pair[] {
  const { attributes } = node;
  const given = node.listOf(attributes.has("paddings") ? "paddings" : "pads", 1);
  const axes = node.list(3, "the axes")?.map((axis) => axisOf(axis, shape)) ?? shape.map((_, d) => d);
  if (given === null || given.length !== 2 * axes.length) {
    throw new InputError(
      `pads is ${given === null ? "missing" : formatShape(given)}; expected ${2 * axes.length} numbers`,
    );
  }
  const widths: Pair[] = shape.map(() => [0, 0]);
  axes.forEach((axis, i) => widths[axis] = [given[i]!, given[i + axes.length]!]);
  return widths;
}

export const PADDING: readonly Operator[] = [padding];
