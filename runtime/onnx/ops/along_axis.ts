/**
 * Operators along an axis: places of extremes, running sums, sums of products.
 *
 * @module
 */
import { neg, sub } from "../../../ops/arithmetic.ts";
import { cumsum } from "../../../ops/cumsum.ts";
import { einsum } from "../../../ops/einsum.ts";
import { argmax } from "../../../ops/extremes.ts";
import { take } from "../../../ops/gather.ts";
import { InputError } from "../../core/errors.ts";
import type { Tensor } from "../../graph/op.ts";
import { reduceElements } from "../host/reduce.ts";
import type { Operator } from "../operator.ts";
import { Constant } from "../value.ts";
import { onFloats } from "./elementwise.ts";
import { axisOf } from "./reductions.ts";

/** Place of the largest or smallest element: the first of equal ones, or with `select_last_index` the last. */
function place(type: "ArgMax" | "ArgMin"): Operator {
  const sign = type === "ArgMax" ? 1 : -1;
  return {
    type,
    build(node) {
      const x = sign === 1 ? node.floats(0) : neg(node.floats(0));
      const axis = axisOf(node.attributes.integer("axis", 0), x.shape);
      const options = { axes: axis, keepDims: node.attributes.integer("keepdims", 1) !== 0 };
      if (node.attributes.integer("select_last_index", 0) === 0) return argmax(x, options);
      const last = x.shape[axis]! - 1;
      const places = Constant.integers(Array.from({ length: last + 1 }, (_, i) => last - i));
      return sub(last, argmax(take(x, node.toTensor(places, "places"), axis), options));
    },
    fold(node) {
      const x = node.constant(0, "the operand")!;
      const axis = axisOf(node.attributes.integer("axis", 0), x.shape);
      const isLast = node.attributes.integer("select_last_index", 0) !== 0;
      const reduced = reduceElements(x, [axis], node.attributes.integer("keepdims", 1) !== 0, (elements) => {
        const best = elements.reduce((a, b) => Math.max(a, sign * b), -Infinity) * sign;
        return isLast ? elements.lastIndexOf(best) : elements.indexOf(best);
      });
      return Constant.of("integer", reduced.shape, reduced.values);
    },
  };
}

/** Sums of all elements up to each one, with it unless `exclusive`. */
const runningSum: Operator = {
  type: "CumSum",
  build(node) {
    const x = node.tensor(0);
    const axis = node.number(1, "the axis");
    if (axis === null) throw new InputError("expected an axis");
    const isExclusive = node.attributes.integer("exclusive", 0) !== 0;
    const reverse = node.attributes.integer("reverse", 0) !== 0;
    return onFloats(x, (floats) => {
      const sums = cumsum(floats, axisOf(axis, x.shape), { reverse });
      return isExclusive ? sub(sums, floats) : sums;
    });
  },
};

const products: Operator = {
  type: "Einsum",
  build(node) {
    const equation = node.attributes.string("equation", "");
    return einsum(equation.replaceAll(" ", ""), ...node.inputs.map((_, i): Tensor => node.floats(i)));
  },
};

export const ALONG_AXIS: readonly Operator[] = [place("ArgMax"), place("ArgMin"), runningSum, products];
