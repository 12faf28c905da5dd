/**
 * Sums and their gradient, a broadcast. One module holds both because each is the gradient of the other.
 *
 * @module
 */
import { isFloat } from "../runtime/core/dtype.ts";
import { physicalOrder } from "../runtime/core/layout.ts";
import { InputError } from "../runtime/core/errors.ts";
import { formatShape, sameShape, type Shape, sizeOf } from "../runtime/core/shape.ts";
import { FormCode } from "../runtime/graph/form_code.ts";
import type { ElementwiseForm, OpDef, Tensor } from "../runtime/graph/op.ts";
import { isImages, type TensorType } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { checkList, checkTensors } from "./check_arguments.ts";
import { formKernel } from "./kernels/elementwise_form.ts";
import { broadcastStrides } from "./kernels/strided.ts";
import { inOrder, stridedCopy } from "./kernels/strided_copy.ts";
import type { Reducer } from "./kernels/reducer.ts";
import { floatOf } from "./kernels/tensors.ts";
import { applyReduction, defineReduction, type ReductionOptions } from "./reduction.ts";
import { reshapeTo } from "./reshape.ts";

export interface ExpandAttrs {
  readonly shape: Shape;
  readonly layout: TensorType["layout"];
  /** Factor on each element. */
  readonly scale: number;
}

/** y = scale x, broadcast to a shape; dx = scale (sum of dy). Input: x. */
export const expandOp: OpDef<ExpandAttrs> = {
  type: "expand",
  precision: "follow",
  aliases: { nnc: "Broadcast", paddle: "expand_v2", mindinsight: "BroadcastTo" },
  shape([x], { shape, layout, scale }) {
    if (scale !== 1) floatOf(x!, "expand");
    checkBroadcast(x!.shape, shape);
    return [{ shape, layout, dtype: x!.dtype }];
  },
  cost: (inputs, outputs, attrs) => ({
    flops: attrs.scale === 1 ? 0 : sizeOf(outputs[0]!.shape),
    bytes: bytesOf(...inputs, ...outputs),
  }),
  gradient(node, [dy], needs) {
    if (!dy || !needs[0]) return [null];
    return [sumTo(dy, node.inputs[0]!.type, node.attrs.scale)];
  },
  elementwise: (attrs) => expandForm(attrs),
  candidates(context) {
    const { inputs: [x], outputs: [y], attrs, traits } = context;
    if (isFloat(x!.dtype)) return [formKernel(expandForm(attrs), context)];
    const order = physicalOrder(y!.shape, y!.layout);
    const strides = broadcastStrides(x!, y!.shape);
    const view = { sizes: inOrder(y!.shape, order), strides: inOrder(strides, order), offset: 0 };
    return [stridedCopy("expand", x!.dtype, y!.dtype, view, traits)];
  },
};

/** Sum over axes; dx = dy. */
export const sumOp = defineReduction({
  type: "reduce_sum",
  aliases: { nnc: "Sum" },
  reducer: () => sumReducer("sum", 1),
  flops: 1,
  gradient: ({ dy, x }) => expandTo(dy, x.type),
});

/** Mean over axes; dx = dy / n. */
export const meanOp = defineReduction({
  type: "reduce_mean",
  aliases: { nnc: "Mean" },
  reducer: (elements) => sumReducer("mean", 1 / elements),
  flops: 1,
  gradient: ({ dy, x, elements }) => expandTo(dy, x.type, 1 / elements),
});

/**
 * Returns the sum of `x` over `axes`, as f32 sums rounded to its type. The order of the additions depends on the shape
 * only.
 *
 * @throws {InputError} if an axis does not exist or is given twice, or `x` holds integers
 */
export function sum(x: Tensor, options: ReductionOptions = {}): Tensor {
  return applyReduction(sumOp, x, options);
}

/** Returns the mean of `x` over `axes`; otherwise like {@linkcode sum}. */
export function mean(x: Tensor, options: ReductionOptions = {}): Tensor {
  return applyReduction(meanOp, x, options);
}

/**
 * Broadcasts `x` to a shape, as NumPy's `broadcast_to` does; -1 keeps the size of a dimension.
 *
 * @throws {InputError} if a size of `x` is neither that of the shape nor 1
 */
export function expand(x: Tensor, shape: Shape): Tensor {
  checkTensors("expand", [x]);
  checkList("expand", `a list of sizes for ${formatShape(x.shape)}`, shape);
  if (!shape.every((size) => Number.isInteger(size) && (size > 0 || size === -1))) {
    throw new InputError(
      `expand expects whole numbers of at least 1, or -1, for ${formatShape(x.shape)}, got ${formatShape(shape)}`,
    );
  }
  const missing = shape.length - x.shape.length;
  const sizes = shape.map((size, d) => size === -1 ? x.shape[d - missing] ?? size : size);
  const images = isImages(x.type) && sizes.length === x.shape.length;
  return expandTo(x, { shape: sizes, layout: images ? x.type.layout : "row" });
}

/** Returns `scale` times `x`, broadcast to the shape and layout of another tensor. */
function expandTo(x: Tensor, { shape, layout }: Pick<TensorType, "shape" | "layout">, scale = 1): Tensor {
  if (scale === 1 && sizeOf(shape) === sizeOf(x.shape)) {
    checkBroadcast(x.shape, shape);
    return layout === x.type.layout && sameShape(x.shape, shape) ? x : reshapeTo(x, { shape, layout });
  }
  return x.graph.apply(expandOp, { shape, layout, scale }, [x])[0]!;
}

/** Returns the sum of `scale x` over the dimensions along which a tensor of `type` was broadcast to the shape of `x`. */
export function sumTo(x: Tensor, type: TensorType, scale = 1): Tensor {
  const missing = x.shape.length - type.shape.length;
  const axes = x.shape.flatMap((n, d) => d < missing || (type.shape[d - missing] === 1 && n > 1) ? [d] : []);
  const scaled = scale === 1 ? x : x.graph.apply(expandOp, { ...x.type, scale }, [x])[0]!;
  const reduced = axes.length === 0 ? scaled : sum(scaled, { axes, keepDims: isImages(x.type) });
  return sameShape(reduced.shape, type.shape) && reduced.type.layout === type.layout
    ? reduced
    : reshapeTo(reduced, type);
}

/** Returns the sum over all dimensions but the first: `[n, ...]` -> `[n]`. */
export function sumBySample(x: Tensor): Tensor {
  return x.shape.length === 1 ? x : sum(reshapeTo(x, { shape: [x.shape[0]!, -1], layout: "row" }), { axes: 1 });
}

/**
 * Returns the shape to which NumPy broadcasts the given shapes.
 *
 * @throws {InputError} naming `op` and both shapes if they do not fit together
 */
export function broadcastShape(op: string, shapes: readonly Shape[]): Shape {
  return shapes.reduce((a, b) => {
    const rank = Math.max(a.length, b.length);
    const size = (shape: Shape, d: number) => shape[d - rank + shape.length] ?? 1;
    return Array.from({ length: rank }, (_, d) => {
      const [m, n] = [size(a, d), size(b, d)];
      if (m === n || n === 1) return m;
      if (m === 1) return n;
      throw new InputError(
        `${op} cannot broadcast ${formatShape(a)} and ${
          formatShape(b)
        }: aligned at the last dimension, sizes must be ` +
          `equal or 1, got ${m} and ${n}; reshape one of them. The two branches of a residual block need the same ` +
          "channels and strides",
      );
    });
  });
}

function checkBroadcast(from: Shape, to: Shape): void {
  if (from.length > to.length || !sameShape(broadcastShape("expand", [from, to]), to)) {
    throw new InputError(
      `expand cannot broadcast ${formatShape(from)} to ${formatShape(to)}; sizes must be equal or 1`,
    );
  }
}

function expandForm({ scale }: ExpandAttrs): ElementwiseForm {
  if (scale === 1) return { name: "expand", inputs: ["x"], value: "x", flops: 0 };
  return {
    name: "expand.scaled",
    inputs: ["x"],
    uniforms: { scale: { f32: scale } },
    value: new FormCode(({ uniform }) => `x * ${uniform("scale")}`),
    flops: 1,
  };
}

/** Returns the code of a sum of elements, times a factor. */
function sumReducer(name: string, scale: number): Reducer {
  return {
    name,
    state: [{ name: "total", type: "f32", initial: "0.0" }],
    step: "total += x;",
    merge: "total += totalB;",
    result: scale === 1 ? "total" : "(total * u.scale)",
    uniforms: scale === 1 ? {} : { scale: { f32: scale } },
  };
}
