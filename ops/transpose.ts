import { InputError } from "../runtime/core/errors.ts";
import { type Layout, physicalOrder } from "../runtime/core/layout.ts";
import { formatShape } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import type { TensorType } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { checkList, checkTensors } from "./check_arguments.ts";
import { stridesOf } from "./kernels/strided.ts";
import { inOrder, stridedCopy } from "./kernels/strided_copy.ts";
import { axisOf } from "./reduction.ts";

export interface TransposeAttrs {
  /** Input dimension at each output dimension. */
  readonly axes: readonly number[];
  /** Layout of the result. */
  readonly layout: Layout;
}

/** Permutes dimensions of a tensor of any type; dx = the inverse permutation of dy. Input: x. */
export const transposeOp: OpDef<TransposeAttrs> = {
  type: "transpose",
  precision: "follow",
  roles: ["relayout"],
  aliases: { paddle: "transpose2" },
  shape: ([x], attrs) => [typeOf(x!, attrs)],
  cost: (inputs, outputs, attrs) => ({
    flops: 0,
    bytes: keepsOrder(inputs[0]!, attrs) ? 0 : bytesOf(...inputs, ...outputs),
  }),
  isView: ([x], attrs) => keepsOrder(x!, attrs),
  gradient(node, [dy], needs) {
    const { axes } = node.attrs;
    if (!dy || !needs[0]) return [null];
    return [permute(dy, { axes: axes.map((_, d) => axes.indexOf(d)), layout: node.inputs[0]!.type.layout })];
  },
  candidates({ inputs: [x], outputs: [y], attrs, traits }) {
    if (keepsOrder(x!, attrs)) return [];
    const order = physicalOrder(y!.shape, y!.layout);
    const strides = stridesOf(x!);
    const view = { sizes: inOrder(y!.shape, order), strides: order.map((d) => strides[attrs.axes[d]!]!), offset: 0 };
    return [stridedCopy("transpose", x!.dtype, x!.dtype, view, traits)];
  },
};

/**
 * Permutes the dimensions of `x`: dimension i of the result is dimension `axes[i]` of `x`. Without `axes`, their order
 * is reversed. The result is row-major. Moves no elements if they already lie in its order: if only dimensions of size 1
 * change places, or channels of images that are stored last become the last dimension.
 *
 * @throws {InputError} unless `axes` names each dimension once
 */
export function transpose(x: Tensor, axes?: readonly number[]): Tensor {
  checkTensors("transpose", [x]);
  const { shape } = x;
  if (axes !== undefined) checkList("transpose", `a list of the ${shape.length} dimensions`, axes);
  const order = (axes ?? shape.map((_, d) => shape.length - 1 - d)).map((axis) => axisOf("transpose", shape, axis));
  if (order.length !== shape.length || new Set(order).size < order.length) {
    throw new InputError(
      `transpose expects each of the ${shape.length} dimensions of ${formatShape(shape)} once, got ${
        formatShape(axes ?? [])
      }`,
    );
  }
  if (order.every((axis, d) => axis === d)) return x;
  return permute(x, { axes: order, layout: "row" });
}

/** Returns `x` with its elements stored in the order of a layout of as many dimensions, such as that of weights. */
export function storedAs(x: Tensor, layout: Layout): Tensor {
  return x.type.layout === layout ? x : permute(x, { axes: x.shape.map((_, d) => d), layout });
}

/** Swaps two dimensions of `x`, the last two by default. */
export function swapAxes(x: Tensor, a = -2, b = -1): Tensor {
  checkTensors("swapAxes", [x]);
  const axes = x.shape.map((_, d) => d);
  const [i, j] = [axisOf("swapAxes", x.shape, a), axisOf("swapAxes", x.shape, b)];
  [axes[i], axes[j]] = [j, i];
  return transpose(x, axes);
}

function permute(x: Tensor, attrs: TransposeAttrs): Tensor {
  return x.graph.apply(transposeOp, attrs, [x])[0]!;
}

function typeOf({ shape, dtype }: TensorType, { axes, layout }: TransposeAttrs): TensorType {
  return { shape: axes.map((axis) => shape[axis]!), dtype, layout };
}

/** Returns true if the elements of the result lie in the order of the input's. */
function keepsOrder(x: TensorType, attrs: TransposeAttrs): boolean {
  const { shape, layout } = typeOf(x, attrs);
  const strides = stridesOf(x);
  const steps = physicalOrder(shape, layout).flatMap((d) => shape[d] === 1 ? [] : [strides[attrs.axes[d]!]!]);
  return steps.every((step, i) => i === 0 || steps[i - 1]! > step);
}
