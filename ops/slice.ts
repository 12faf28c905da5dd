/**
 * Slices and padding. One module holds both because each is the gradient of the other.
 *
 * @module
 */
import { InputError } from "../runtime/core/errors.ts";
import { formatShape, type Shape } from "../runtime/core/shape.ts";
import { shown } from "../runtime/core/shown.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { isImages, rowMajor, type TensorType } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { checkList, checkNumber, checkTensors } from "./check_arguments.ts";
import { stridesOf } from "./kernels/strided.ts";
import { padKernel, stridedCopy } from "./kernels/strided_copy.ts";
import { toLayout } from "./to_layout.ts";

/** Part of a dimension: every `step`th element from `start` up to and without `stop`. */
export type SliceRange = readonly [start: number, stop: number, step?: number];

export interface SliceAttrs {
  /** For each dimension: first element, number of elements, and distance between them. */
  readonly starts: readonly number[];
  readonly sizes: readonly number[];
  readonly steps: readonly number[];
}

export interface PadAttrs {
  /** Elements before and after each dimension. */
  readonly low: readonly number[];
  readonly high: readonly number[];
  /** Distance between neighbouring elements of the input in the output. */
  readonly steps: readonly number[];
  readonly value: number;
}

/** Part of a row-major tensor of any type; dx = dy, 0 outside of the part. Input: x. */
export const sliceOp: OpDef<SliceAttrs> = {
  type: "slice",
  precision: "follow",
  aliases: { mindinsight: "StridedSlice" },
  shape: ([x], { sizes }) => [rowMajor(sizes, x!.dtype)],
  cost: (_inputs, outputs) => ({ flops: 0, bytes: 2 * bytesOf(...outputs) }),
  gradient(node, [dy], needs) {
    if (!dy || !needs[0]) return [null];
    const { starts, sizes, steps } = node.attrs;
    const high = node.inputs[0]!.shape.map((n, d) => n - starts[d]! - (sizes[d]! - 1) * steps[d]! - 1);
    return dy.graph.apply(padOp, { low: starts, high, steps, value: 0 }, [dy]);
  },
  parts([x], { starts, sizes, steps }) {
    const strides = stridesOf(x!);
    const first = sizes.findIndex((size) => size > 1);
    const rest = sizes.slice(first + 1);
    const whole = first < 0 || (steps[first] === 1 && rest.every((size, d) => size === x!.shape[first + 1 + d]));
    return whole ? [strides.reduce((offset, stride, d) => offset + stride * starts[d]!, 0)] : null;
  },
  candidates({ inputs: [x], outputs: [y], attrs: { starts, steps }, traits }) {
    const strides = stridesOf(x!);
    return [stridedCopy("slice", x!.dtype, x!.dtype, {
      sizes: y!.shape,
      strides: strides.map((stride, d) => stride * steps[d]!),
      offset: strides.reduce((offset, stride, d) => offset + stride * starts[d]!, 0),
    }, traits)];
  },
};

/** Row-major tensor of any type with constant elements around it; dx = the part of dy inside. Input: x. */
export const padOp: OpDef<PadAttrs> = {
  type: "pad",
  precision: "follow",
  shape: ([x], { low, high, steps }) => [
    rowMajor(x!.shape.map((n, d) => low[d]! + (n - 1) * steps[d]! + 1 + high[d]!), x!.dtype),
  ],
  cost: (inputs, outputs) => ({ flops: 0, bytes: bytesOf(...inputs, ...outputs) }),
  gradient(node, [dy], needs) {
    if (!dy || !needs[0]) return [null];
    const { low, steps } = node.attrs;
    return dy.graph.apply(sliceOp, { starts: low, sizes: node.inputs[0]!.shape, steps }, [dy]);
  },
  candidates({ inputs: [x], outputs: [y], attrs: { low, steps, value }, traits }) {
    const dimensions = x!.shape.map((input, d) => ({ input, output: y!.shape[d]!, low: low[d]!, step: steps[d]! }));
    return [padKernel("pad", x!.dtype, dimensions, value, traits)];
  },
};

/**
 * Returns a part of `x`. Each range is `[start, stop, step]` as in Python, with a step of at least 1; negative bounds
 * count from the end, and null takes the whole dimension. Dimensions without a range are taken whole.
 *
 * @example
 * ```ts
 * import { slice, type Tensor } from "@tacho/tacho";
 *
 * const firstHalf = (x: Tensor): Tensor => slice(x, [null, [0, 8]]);
 * ```
 *
 * @throws {InputError} if a range is empty, or there are more ranges than dimensions
 */
export function slice(x: Tensor, ranges: readonly (SliceRange | null)[]): Tensor {
  checkTensors("slice", [x]);
  const { shape } = x;
  checkList("slice", `a list of ranges [start, stop, step] or null for ${formatShape(shape)}`, ranges);
  if (ranges.length > shape.length) {
    throw new InputError(
      `slice expects at most ${shape.length} ranges for ${formatShape(shape)}, got ${ranges.length}`,
    );
  }
  const parts = shape.map((size, d) => partOf(size, ranges[d] ?? null, d, shape));
  const attrs: SliceAttrs = {
    starts: parts.map(({ start }) => start),
    sizes: parts.map(({ size }) => size),
    steps: parts.map(({ step }) => step),
  };
  if (attrs.sizes.every((size, d) => size === shape[d])) return x;
  return x.graph.apply(sliceOp, attrs, [rowsOf(x)])[0]!;
}

/**
 * Surrounds `x` with `value`. `widths` are the numbers of elements before and after each dimension.
 *
 * @throws {InputError} unless there is a pair of whole numbers for each dimension
 */
export function pad(x: Tensor, widths: readonly (readonly [before: number, after: number])[], value = 0): Tensor {
  checkTensors("pad", [x]);
  const { shape } = x;
  const what = `[before, after] for each dimension of ${formatShape(shape)}`;
  checkList("pad", what, widths);
  checkNumber("pad", "value", value);
  const valid = widths.every((pair) => Array.isArray(pair) && pair.length === 2) && widths.length === shape.length &&
    widths.flat().every((n) => Number.isInteger(n) && n >= 0);
  if (!valid) {
    throw new InputError(`pad expects ${what}, got ${shown(widths)}`);
  }
  if (widths.flat().every((n) => n === 0)) return x;
  const attrs: PadAttrs = {
    low: widths.map(([before]) => before),
    high: widths.map(([, after]) => after),
    steps: shape.map(() => 1),
    value,
  };
  return x.graph.apply(padOp, attrs, [rowsOf(x)])[0]!;
}

/** Returns `x` in row-major order. */
function rowsOf(x: Tensor): Tensor {
  return isImages(x.type as TensorType) ? toLayout(x, "row") : x;
}

function partOf(size: number, range: SliceRange | null, d: number, shape: Shape) {
  if (range === null) return { start: 0, size, step: 1 };
  checkList("slice", `[start, stop, step] or null for dimension ${d} of ${formatShape(shape)}`, range);
  const [start, stop, step = 1] = range;
  const whole = range.every((n) => Number.isInteger(n)) && step >= 1;
  const place = (n: number) => Math.max(0, Math.min(size, n < 0 ? n + size : n));
  const length = whole ? Math.ceil((place(stop) - place(start)) / step) : 0;
  if (length >= 1) return { start: place(start), size: length, step };
  throw new InputError(
    `slice expects [start, stop, step] of whole numbers that take at least one element, got ${
      formatShape(range as Shape)
    } for ` +
      `dimension ${d} of ${formatShape(shape)}`,
  );
}
