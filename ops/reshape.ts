import type { Layout } from "../runtime/core/layout.ts";
import { InputError } from "../runtime/core/errors.ts";
import { formatShape, type Shape, sizeOf } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import type { TensorType } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { checkList } from "./check_arguments.ts";
import { relayouts, sameOrder } from "./kernels/relayout.ts";

export interface ReshapeAttrs {
  /** New shape, including the first dimension; one size may be -1 and is inferred. */
  readonly shape: Shape;
  /** Layout of the result. */
  readonly layout: Layout;
}

/** Changes the shape and keeps the logical order of the elements. Input: x. */
export const reshapeOp: OpDef<ReshapeAttrs> = {
  type: "reshape",
  precision: "follow",
  aliases: { paddle: "reshape2" },
  shape([x], attrs) {
    const shape = resolve(x!.shape, attrs.shape);
    return [{ shape, dtype: x!.dtype, layout: attrs.layout }];
  },
  cost: (inputs, outputs) => ({
    flops: 0,
    bytes: sameOrder(inputs[0]!, outputs[0]!) ? 0 : bytesOf(...inputs, ...outputs),
  }),
  isView: (inputs, attrs) => sameOrder(inputs[0]!, reshapeOp.shape(inputs, attrs)[0]!),
  gradient: (node, [dy], needs) => [dy && needs[0] ? reshapeTo(dy, node.inputs[0]!.type) : null],
  candidates: ({ inputs, outputs, traits }) =>
    sameOrder(inputs[0]!, outputs[0]!) ? [] : relayouts(inputs[0]!, outputs[0]!, traits),
};

/**
 * Returns the elements of `x` in another shape, row-major. The shape includes the first dimension; one size may be -1
 * and is inferred.
 *
 * @throws {InputError} if the shape does not hold as many elements as `x`
 */
export function reshape(x: Tensor, shape: Shape): Tensor {
  checkList("reshape", `a list of sizes for ${formatShape(x.shape)}`, shape);
  return reshapeTo(x, { shape, layout: "row" });
}

/** Returns the elements of `x` in the shape and layout of another tensor with as many elements. */
export function reshapeTo(x: Tensor, { shape, layout }: Pick<TensorType, "shape" | "layout">): Tensor {
  return x.graph.apply(reshapeOp, { shape, layout }, [x])[0]!;
}

function resolve(from: Shape, wanted: Shape): Shape {
  const open = wanted.filter((n) => n === -1).length;
  const known = sizeOf(wanted.filter((n) => n !== -1));
  const valid = wanted.every((n) => Number.isInteger(n) && (n > 0 || n === -1)) && open <= 1;
  if (!valid) {
    throw new InputError(`reshape expects positive sizes and at most one -1, got ${formatShape(wanted)}`);
  }
  const n = sizeOf(from);
  if (open === 0 ? known !== n : n % known !== 0) {
    throw new InputError(
      `reshape cannot make ${formatShape(wanted)} (${open === 0 ? "" : "a multiple of "}${known} elements) ` +
        `from ${formatShape(from)} (${n} elements); set one size to -1 to infer it`,
    );
  }
  return wanted.map((size) => size === -1 ? n / known : size);
}
