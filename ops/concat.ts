/**
 * Joins and splits tensors along an axis. One module holds both because each is the gradient of the other.
 *
 * @module
 */
import { physicalOrder } from "../runtime/core/layout.ts";
import { InputError } from "../runtime/core/errors.ts";
import { formatShape, type Shape, sizeOf } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { isImages, type TensorType } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { checkList, checkTensors } from "./check_arguments.ts";
import { copyKernel, inOrder, joinRows } from "./kernels/strided_copy.ts";
import { axisOf } from "./reduction.ts";
import { reshape } from "./reshape.ts";
import { pad } from "./slice.ts";
import { toLayout } from "./to_layout.ts";
import { add } from "./add.ts";

export interface ConcatAttrs {
  readonly axis: number;
}

export interface SplitAttrs {
  readonly axis: number;
  readonly sizes: readonly number[];
}

/** Inputs that a kernel can bind beside its output. */
const MAX_INPUTS = 7;

/** Joins tensors of one type and layout along an axis; the gradients are parts of dy. */
export const concatOp: OpDef<ConcatAttrs> = {
  type: "concat",
  precision: "follow",
  aliases: { nnc: "Concatenate" },
  shape(inputs, { axis }) {
    const [first] = inputs as [TensorType];
    for (const { shape, dtype } of inputs) {
      const fits = shape.length === first.shape.length && shape.every((n, d) => d === axis || n === first.shape[d]);
      if (!fits || dtype !== first.dtype) {
        throw new InputError(
          `concat along dimension ${axis} expects tensors of one type whose other dimensions are the same, got ` +
            inputs.map((type) => `${type.dtype}${formatShape(type.shape)}`).join(", "),
        );
      }
    }
    const size = inputs.reduce((sum, { shape }) => sum + shape[axis]!, 0);
    return [{ ...first, shape: first.shape.with(axis, size) }];
  },
  cost: (inputs, outputs) => ({ flops: 0, bytes: bytesOf(...inputs, ...outputs) }),
  gradient(node, [dy], needs) {
    if (!dy || !needs.includes(true)) return node.inputs.map(() => null);
    const { axis } = node.attrs;
    return split(dy, node.inputs.map(({ shape }) => shape[axis]!), axis);
  },
  candidates({ inputs, attrs: { axis }, traits }) {
    const { rows } = rowsOf(inputs[0]!, axis);
    return [joinRows("concat", inputs[0]!.dtype, rows, inputs.map((type) => rowsOf(type, axis).width), traits)];
  },
};

/** Parts of a tensor of any type along an axis, one output each; dx = the joined gradients. Input: x. */
export const splitOp: OpDef<SplitAttrs> = {
  type: "split",
  precision: "follow",
  shape: ([x], { axis, sizes }) => sizes.map((size) => ({ ...x!, shape: x!.shape.with(axis, size) })),
  cost: (inputs, outputs) => ({ flops: 0, bytes: bytesOf(...inputs, ...outputs) }),
  gradient(node, dys, needs) {
    const { axis, sizes } = node.attrs;
    const given = dys.filter((dy) => dy !== null);
    if (!needs[0] || given.length === 0) return [null];
    if (given.length === dys.length) return [concat(given, axis)];
    // Parts without a gradient are zero
    let start = 0;
    const parts = dys.flatMap((dy, i) => {
      const before = start;
      start += sizes[i]!;
      const after = node.inputs[0]!.shape[axis]! - start;
      return dy === null ? [] : [pad(dy, dy.shape.map((_, d) => d === axis ? [before, after] : [0, 0]))];
    });
    const dx = parts.reduce((a, b) => add(a, b));
    return [isImages(node.inputs[0]!.type) ? toLayout(dx, node.inputs[0]!.type.layout) : dx];
  },
  parts([x], { axis, sizes }) {
    const { rows, width } = rowsOf(x!, axis);
    if (rows > 1) return null;
    const each = width / x!.shape[axis]!;
    return sizes.map((_, i) => each * sizes.slice(0, i).reduce((sum, size) => sum + size, 0));
  },
  candidates({ inputs, outputs, attrs: { axis }, traits }) {
    const { dtype } = inputs[0]!;
    const { rows, width } = rowsOf(inputs[0]!, axis);
    let offset = 0;
    const kernels = outputs.map((type, output) => {
      const own = rowsOf(type, axis).width;
      const view = { sizes: [rows, own], strides: [width, 1], offset };
      offset += own;
      return copyKernel("split", dtype, dtype, view, output, traits);
    });
    return [{ name: kernels[0]!.name, kernels, workspace: [] }];
  },
};

/**
 * Joins tensors along an axis; the other dimensions must be the same.
 *
 * @throws {InputError} naming all shapes if they do not fit together
 */
export function concat(tensors: readonly Tensor[], axis = 0): Tensor {
  checkList("concat", "a list of tensors", tensors);
  checkTensors("concat", tensors);
  const [first] = tensors;
  if (first === undefined) throw new InputError("concat expects at least one tensor, got none");
  if (tensors.length === 1) return first;
  if (tensors.length > MAX_INPUTS) {
    const groups = Math.ceil(tensors.length / MAX_INPUTS);
    const joined = Array.from({ length: groups }, (_, g) => {
      return concat(tensors.slice(g * MAX_INPUTS, (g + 1) * MAX_INPUTS), axis);
    });
    return concat(joined, axis);
  }
  const alike = tensors.every(({ type }) => type.layout === first.type.layout);
  const inputs = alike ? tensors : tensors.map((tensor) => isImages(tensor.type) ? toLayout(tensor, "row") : tensor);
  return first.graph.apply(concatOp, { axis: axisOf("concat", first.shape, axis) }, inputs)[0]!;
}

/** Joins tensors of the same shape along a new axis. */
export function stack(tensors: readonly Tensor[], axis = 0): Tensor {
  checkList("stack", "a list of tensors", tensors);
  checkTensors("stack", tensors);
  const [first] = tensors;
  if (first === undefined) throw new InputError("stack expects at least one tensor, got none");
  const at = axisOf("stack", [...first.shape, 1], axis);
  return concat(tensors.map((x) => reshape(x, x.shape.toSpliced(at, 0, 1))), at);
}

/**
 * Splits `x` along an axis, into equal parts if `parts` is a number, as in NumPy, or into parts of the given sizes, as in
 * PyTorch.
 *
 * @throws {InputError} if the sizes do not add up to the dimension
 */
export function split(x: Tensor, parts: number | readonly number[], axis = 0): Tensor[] {
  checkTensors("split", [x]);
  if (typeof parts !== "number") checkList("split", "a number of parts or a list of sizes", parts);
  const at = axisOf("split", x.shape, axis);
  const size = x.shape[at]!;
  const sizes = typeof parts === "number"
    ? new Array<number>(Math.max(1, Math.floor(parts))).fill(size / parts)
    : parts;
  const sum = sizes.reduce((a, b) => a + b, 0);
  if (sum !== size || !sizes.every((n) => Number.isInteger(n) && n >= 1)) {
    throw new InputError(
      `split expects ${
        typeof parts === "number" ? "a number of parts that divides" : "sizes that add up to"
      } ${size}, ` +
        `dimension ${at} of ${formatShape(x.shape)}, got ${typeof parts === "number" ? parts : formatShape(parts)}`,
    );
  }
  return sizes.length === 1 ? [x] : x.graph.apply(splitOp, { axis: at, sizes }, [x]);
}

/** Returns a tensor as rows: an axis and the dimensions that are stored inside of it form the width. */
function rowsOf({ shape, layout }: TensorType, axis: number): { rows: number; width: number } {
  const order = physicalOrder(shape, layout);
  const sizes: Shape = inOrder(shape, order);
  const at = order.indexOf(axis);
  return { rows: sizeOf(sizes.slice(0, at)), width: sizeOf(sizes.slice(at)) };
}
