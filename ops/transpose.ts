import { InputError } from "../runtime/core/errors.ts";
import { formatShape, type Shape } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { isImages, rowMajor } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { stridesOf } from "./kernels/strided.ts";
import { stridedCopy } from "./kernels/strided_copy.ts";
import { axisOf } from "./reduction.ts";
import { toLayout } from "./to_layout.ts";

export interface TransposeAttrs {
  /** Input dimension at each output dimension. */
  readonly axes: readonly number[];
}

/** Permutes dimensions of a row-major tensor of any type; dx = the inverse permutation of dy. Input: x. */
export const transposeOp: OpDef<TransposeAttrs> = {
  type: "transpose",
  precision: "follow",
  roles: ["relayout"],
  shape: ([x], { axes }) => [rowMajor(axes.map((axis) => x!.shape[axis]!), x!.dtype)],
  cost: (inputs, outputs, { axes }) => ({
    flops: 0,
    bytes: keepsOrder(inputs[0]!.shape, axes) ? 0 : bytesOf(...inputs, ...outputs),
  }),
  isView: ([x], { axes }) => keepsOrder(x!.shape, axes),
  gradient(node, [dy], needs) {
    const { axes } = node.attrs;
    return [dy && needs[0] ? transpose(dy, axes.map((_, d) => axes.indexOf(d))) : null];
  },
  candidates({ inputs: [x], outputs: [y], attrs: { axes }, traits }) {
    if (keepsOrder(x!.shape, axes)) return [];
    const strides = stridesOf(x!);
    const view = { sizes: y!.shape, strides: axes.map((axis) => strides[axis]!), offset: 0 };
    return [stridedCopy("transpose", x!.dtype, x!.dtype, view, traits)];
  },
};

/**
 * Permutes the dimensions of `x`: dimension i of the result is dimension `axes[i]` of `x`. Without `axes`, their order
 * is reversed. Moves no elements if only dimensions of size 1 change places.
 *
 * @throws {InputError} unless `axes` names each dimension once
 */
export function transpose(x: Tensor, axes?: readonly number[]): Tensor {
  const { shape } = x;
  const order = (axes ?? shape.map((_, d) => shape.length - 1 - d)).map((axis) => axisOf("transpose", shape, axis));
  if (order.length !== shape.length || new Set(order).size < order.length) {
    throw new InputError(
      `transpose expects each of the ${shape.length} dimensions of ${formatShape(shape)} once, got ${
        formatShape(axes ?? [])
      }`,
    );
  }
  if (order.every((axis, d) => axis === d)) return x;
  const rows = isImages(x.type) ? toLayout(x, "row") : x;
  return x.graph.apply(transposeOp, { axes: order }, [rows])[0]!;
}

/** Swaps two dimensions of `x`, the last two by default. */
export function swapAxes(x: Tensor, a = -2, b = -1): Tensor {
  const axes = x.shape.map((_, d) => d);
  const [i, j] = [axisOf("swapAxes", x.shape, a), axisOf("swapAxes", x.shape, b)];
  [axes[i], axes[j]] = [j, i];
  return transpose(x, axes);
}

/** Returns true if the permutation keeps the order of the dimensions that are not 1. */
function keepsOrder(shape: Shape, axes: readonly number[]): boolean {
  const moved = axes.filter((axis) => shape[axis] !== 1);
  return moved.every((axis, i) => i === 0 || moved[i - 1]! < axis);
}
