/**
 * Operators that take parts of a tensor by ranges.
 *
 * @module
 */
import { take } from "../../../ops/gather.ts";
import { slice, type SliceRange } from "../../../ops/slice.ts";
import { InputError } from "../../core/errors.ts";
import { formatShape, type Shape } from "../../core/shape.ts";
import type { Application } from "../application.ts";
import { limited, strided, stridesOf } from "../host.ts";
import type { Operator } from "../operator.ts";
import { Constant } from "../value.ts";
import { axisOf } from "./reductions.ts";

/** Elements of a dimension: `count` of them, from `start` on, `step` apart. */
interface Range {
  readonly start: number;
  readonly step: number;
  readonly count: number;
}

const part: Operator = {
  type: "Slice",
  build(node) {
    const { shape } = node.value(0);
    const ranges = rangesOf(node, shape);
    if (ranges.some(({ count }) => count === 0)) {
      throw new InputError(`nothing is left of ${formatShape(shape)}; expected at least one element`);
    }
    const isWhole = ranges.every(({ start, step, count }, d) => start === 0 && step === 1 && count === shape[d]);
    let x = node.tensor(0);
    if (isWhole) return x;
    const forward = ranges.map(({ start, step, count }, d): SliceRange | null =>
      step < 0 || (start === 0 && step === 1 && count === shape[d])
        ? null
        : [start, start + (count - 1) * step + 1, step]
    );
    if (forward.some((range) => range !== null)) x = slice(x, forward);
    for (const [axis, { start, step, count }] of ranges.entries()) {
      if (step > 0) continue;
      const places = Constant.integers(Array.from({ length: limited(count) }, (_, i) => start + i * step));
      x = take(x, node.toTensor(places, `places${axis}`), axis);
    }
    return x;
  },
  fold(node) {
    const x = node.constant(0, "the tensor")!;
    const ranges = rangesOf(node, x.shape);
    const strides = stridesOf(x.shape);
    const start = ranges.reduce((sum, range, d) => sum + range.start * strides[d]!, 0);
    return strided(x, ranges.map(({ count }) => count), ranges.map(({ step }, d) => step * strides[d]!), start);
  },
};

/** Reads the ranges of all dimensions: attributes before version 10, inputs from then on. */
function rangesOf(node: Application, shape: Shape): Range[] {
  const starts = node.listOf("starts", 1);
  const ends = node.listOf("ends", 2);
  if (starts === null || ends === null) throw new InputError("expected starts and ends");
  const axes = node.listOf("axes", 3) ?? starts.map((_, d) => d);
  const steps = node.list(4, "the steps") ?? starts.map(() => 1);
  if ([ends, axes, steps].some((list) => list.length !== starts.length)) {
    throw new InputError(
      `starts ${formatShape(starts)}, ends ${formatShape(ends)}, axes ${formatShape(axes)} and steps ` +
        `${formatShape(steps)} differ in length`,
    );
  }
  const ranges: Range[] = shape.map((n) => ({ start: 0, step: 1, count: n }));
  for (const [i, given] of axes.entries()) {
    const axis = axisOf(given, shape);
    ranges[axis] = rangeOf(starts[i]!, ends[i]!, steps[i]!, shape[axis]!);
  }
  return ranges;
}

/** Bounds beyond a dimension are moved to its ends, as in Python. */
function rangeOf(start: number, end: number, step: number, size: number): Range {
  if (step === 0) throw new InputError("a step is 0; expected another number");
  const place = (bound: number) => bound < 0 ? bound + size : bound;
  const [low, high] = step > 0 ? [0, size] : [-1, size - 1];
  const first = Math.min(high, Math.max(step > 0 ? low : 0, place(start)));
  const last = Math.min(high, Math.max(low, place(end)));
  return { start: first, step, count: Math.max(0, Math.ceil((last - first) / step)) };
}

export const SLICING: readonly Operator[] = [part];
