/**
 * Reductions over axes.
 *
 * @module
 */
import { abs, mul } from "../../../ops/arithmetic.ts";
import { concat } from "../../../ops/concat.ts";
import { log, sqrt } from "../../../ops/exponential.ts";
import { logSumExp, max, min } from "../../../ops/extremes.ts";
import { cast } from "../../../ops/cast.ts";
import { type IntegerReduction, reduceIntegers } from "../../../ops/integer_reduction.ts";
import type { ReductionOptions } from "../../../ops/reduction.ts";
import { reshape } from "../../../ops/reshape.ts";
import { slice } from "../../../ops/slice.ts";
import { mean, sum } from "../../../ops/sum.ts";
import { InputError } from "../../core/errors.ts";
import { type Shape, sizeOf } from "../../core/shape.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Application } from "../application.ts";
import { reduceElements } from "../host.ts";
import type { Operator } from "../operator.ts";
import type { Constant } from "../value.ts";
import { quotient } from "./arithmetic.ts";

/** Longest axis whose elements are multiplied; the products are a tree of that many leaves. */
const MAX_FACTORS = 1024;

type Reduce = (x: Tensor, options: ReductionOptions) => Tensor;

/** Defines a reduction; `whole` is that of integers, without which they are reduced as floats, rounded towards zero. */
function reduction(
  type: string,
  apply: Reduce,
  value: (elements: Float64Array) => number,
  whole: Reduce = (x, options) => cast(apply(cast(x, "f32"), options), "i32"),
): Operator {
  return {
    type,
    build(node) {
      const x = node.tensor(0);
      const axes = axesOf(node, x.shape);
      const keepDims = node.attributes.integer("keepdims", 1) !== 0;
      return axes === null ? x : (x.dtype === "i32" ? whole : apply)(x, { axes, keepDims });
    },
    fold(node): Constant {
      const x = node.constant(0, "the operand")!;
      const axes = axesOf(node, x.shape);
      const keepDims = node.attributes.integer("keepdims", 1) !== 0;
      const rounded = x.kind === "integer" ? (elements: Float64Array) => Math.trunc(value(elements)) : value;
      return axes === null ? x : reduceElements(x, axes, keepDims, rounded);
    },
  };
}

/** Returns the dimensions that are reduced, all by default; null if the operator is to do nothing without axes. */
function axesOf(node: Application, shape: Shape): number[] | null {
  const given = node.listOf("axes", 1);
  const isNothing = node.attributes.integer("noop_with_empty_axes", 0) !== 0;
  if (given === null || given.length === 0) return isNothing ? null : shape.map((_, axis) => axis);
  return given.map((axis) => axisOf(axis, shape));
}

/** Returns the dimension that an axis names; a negative one counts from the last. */
export function axisOf(axis: number, shape: Shape): number {
  const at = axis < 0 ? axis + shape.length : axis;
  if (Number.isInteger(at) && at >= 0 && at < shape.length) return at;
  throw new InputError(`axis ${axis} is out of range; expected ${-shape.length} to ${shape.length - 1}`);
}

/** Multiplies the elements along axes, pair by pair. */
function product(x: Tensor, { axes, keepDims }: ReductionOptions): Tensor {
  const list = [axes ?? []].flat();
  let y = x;
  for (const axis of list) {
    if (y.shape[axis]! > MAX_FACTORS) {
      throw new InputError(`a product of ${y.shape[axis]} elements; expected at most ${MAX_FACTORS} along an axis`);
    }
    while (y.shape[axis]! > 1) y = halved(y, axis);
  }
  return keepDims === true ? y : reshape(y, y.shape.filter((_, d) => !list.includes(d)));
}

/** Multiplies the first half of an axis with the second; the middle of an odd one is kept. */
function halved(x: Tensor, axis: number): Tensor {
  const size = x.shape[axis]!;
  const half = Math.floor(size / 2);
  const part = (start: number, stop: number) =>
    slice(x, x.shape.map((_, d) => d === axis ? [start, stop] as const : null));
  const products = mul(part(0, half), part(size - half, size));
  return size % 2 === 0 ? products : concat([products, part(half, half + 1)], axis);
}

const total = (elements: Float64Array, of: (x: number) => number = (x) => x) => elements.reduce((s, x) => s + of(x), 0);

const integers = (reduce: IntegerReduction): Reduce => (x, options) => reduceIntegers(x, reduce, options);

/** Returns the mean of integers, rounded towards zero. */
const integerMean: Reduce = (x, options) => {
  const total = reduceIntegers(x, "sum", options);
  return quotient(total, sizeOf(x.shape) / sizeOf(total.shape));
};

export const REDUCTIONS: readonly Operator[] = [
  reduction("ReduceSum", sum, (x) => total(x), integers("sum")),
  reduction("ReduceMean", mean, (x) => total(x) / x.length, integerMean),
  reduction("ReduceMax", max, (x) => x.reduce((a, b) => Math.max(a, b), -Infinity), integers("max")),
  reduction("ReduceMin", min, (x) => x.reduce((a, b) => Math.min(a, b), Infinity), integers("min")),
  reduction("ReduceProd", product, (x) => x.reduce((a, b) => a * b, 1), integers("product")),
  reduction(
    "ReduceL1",
    (x, options) => sum(abs(x), options),
    (x) => total(x, Math.abs),
    (x, options) => reduceIntegers(abs(x), "sum", options),
  ),
  reduction("ReduceL2", (x, options) => sqrt(sum(mul(x, x), options)), (x) => Math.sqrt(total(x, (v) => v * v))),
  reduction(
    "ReduceSumSquare",
    (x, options) => sum(mul(x, x), options),
    (x) => total(x, (v) => v * v),
    (x, options) => reduceIntegers(mul(x, x), "sum", options),
  ),
  reduction("ReduceLogSum", (x, options) => log(sum(x, options)), (x) => Math.log(total(x))),
  reduction("ReduceLogSumExp", logSumExp, (x) => {
    const largest = x.reduce((a, b) => Math.max(a, b), -Infinity);
    return Number.isFinite(largest) ? largest + Math.log(total(x, (v) => Math.exp(v - largest))) : largest;
  }),
];
