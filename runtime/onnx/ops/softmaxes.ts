/**
 * Operators that compare the elements of an axis: softmax and its kin.
 *
 * @module
 */
import { equal, less } from "../../../ops/comparisons.ts";
import { cumsum } from "../../../ops/cumsum.ts";
import { mul } from "../../../ops/arithmetic.ts";
import { max } from "../../../ops/extremes.ts";
import { reshape } from "../../../ops/reshape.ts";
import { logSoftmax, softmax } from "../../../ops/softmax.ts";
import { sizeOf } from "../../core/shape.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Operator } from "../operator.ts";

/** Defines an operator over an axis; before version 13, over the axis and all after it as one. */
function overAxis(type: string, apply: (x: Tensor, axis: number) => Tensor): Operator {
  return {
    type,
    build(node) {
      const x = node.floats(0);
      const rank = x.shape.length;
      const axis = node.attributes.integer("axis", node.opset < 13 ? 1 : -1);
      const at = axis < 0 ? axis + rank : axis;
      if (node.opset >= 13 || at >= rank - 1) return apply(x, node.opset < 13 && at >= rank ? rank - 1 : at);
      return reshape(apply(reshape(x, [sizeOf(x.shape.slice(0, at)), sizeOf(x.shape.slice(at))]), 1), x.shape);
    },
  };
}

/** 1 at the first of the largest elements, 0 elsewhere. */
function hardmax(x: Tensor, axis: number): Tensor {
  const largest = equal(x, max(x, { axes: axis, keepDims: true }));
  return mul(largest, less(cumsum(largest, axis), 1.5));
}

export const SOFTMAXES: readonly Operator[] = [
  overAxis("Softmax", softmax),
  overAxis("LogSoftmax", logSoftmax),
  overAxis("Hardmax", hardmax),
];
