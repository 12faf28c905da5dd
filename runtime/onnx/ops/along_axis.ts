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
import { reshape } from "../../../ops/reshape.ts";
import { topIndices } from "../../../ops/top_k.ts";
import { transpose } from "../../../ops/transpose.ts";
import { InputError } from "../../core/errors.ts";
import type { Tensor } from "../../graph/op.ts";
import { limited, reduceElements } from "../host.ts";
import type { Operator } from "../operator.ts";
import { Constant } from "../value.ts";
import { axisOf } from "./reductions.ts";

/** Place of the largest or smallest element: the first of equal ones, or with `select_last_index` the last. */
function place(type: "ArgMax" | "ArgMin"): Operator {
  const sign = type === "ArgMax" ? 1 : -1;
  const placeOf = (x: Tensor, options: { readonly axes: number; readonly keepDims: boolean }): Tensor =>
    x.dtype === "i32" ? placeOfInteger(x, sign === 1, options) : argmax(sign === 1 ? x : neg(x), options);
  return {
    type,
    build(node) {
      const x = node.tensor(0);
      const axis = axisOf(node.attributes.integer("axis", 0), x.shape);
      const options = { axes: axis, keepDims: node.attributes.integer("keepdims", 1) !== 0 };
      if (node.attributes.integer("select_last_index", 0) === 0) return placeOf(x, options);
      const last = x.shape[axis]! - 1;
      const places = Constant.integers(Array.from({ length: limited(last + 1) }, (_, i) => last - i));
      return sub(last, placeOf(take(x, node.toTensor(places, "places"), axis), options));
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

/** Returns the place of the largest or smallest integer, which floats might not tell apart. */
function placeOfInteger(x: Tensor, largest: boolean, { axes, keepDims }: { axes: number; keepDims: boolean }): Tensor {
  const last = x.shape.length - 1;
  const order = [...x.shape.keys()].filter((d) => d !== axes).concat(axes);
  const places = topIndices(transpose(x, order), 1, { largest });
  return reshape(places, keepDims ? x.shape.with(axes, 1) : places.shape.slice(0, last));
}

/** Sums of all elements up to each one, with it unless `exclusive`. */
const runningSum: Operator = {
  type: "CumSum",
  build(node) {
    const x = node.tensor(0);
    const axis = node.number(1, "the axis");
    if (axis === null) throw new InputError("expected an axis");
    const exclusive = node.attributes.integer("exclusive", 0) !== 0;
    const reverse = node.attributes.integer("reverse", 0) !== 0;
    return cumsum(x, axisOf(axis, x.shape), { reverse, exclusive });
  },
};

const products: Operator = {
  type: "Einsum",
  build(node) {
    const equation = node.attributes.string("equation", "");
    const operands = node.inputs.map((_, i): Tensor => node.tensor(i));
    if (operands.some(({ dtype }) => dtype === "i32")) throw new InputError("expected floats, got integers");
    return einsum(equation.replaceAll(" ", ""), ...operands);
  },
};

export const ALONG_AXIS: readonly Operator[] = [place("ArgMax"), place("ArgMin"), runningSum, products];
