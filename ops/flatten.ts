import { InputError } from "../runtime/core/errors.ts";
import { formatShape, sizeOf } from "../runtime/core/shape.ts";
import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import { rowMajor } from "../runtime/graph/types.ts";
import type { NoAttrs } from "./activation.ts";
import { bytesOf } from "./buffers.ts";
import { relayouts, sameOrder } from "./kernels/relayout.ts";
import { reshapeTo } from "./reshape.ts";

/** `[n, ...]` -> `[n, product of the rest]` in logical order. Transposes NHWC images unless c or h w is 1. Input: x. */
export const flattenOp: OpDef<NoAttrs> = {
  type: "flatten",
  precision: "follow",
  aliases: { nnc: "Reshape", paddle: "flatten_contiguous_range" },
  shape([x]) {
    if (x!.shape.length === 0) throw new InputError(`flatten expects at least one dimension, got ${formatShape([])}`);
    return [rowMajor([x!.shape[0]!, sizeOf(x!.shape.slice(1))], x!.dtype)];
  },
  cost: (inputs, outputs) => ({
    flops: 0,
    bytes: sameOrder(inputs[0]!, outputs[0]!) ? 0 : bytesOf(...inputs, ...outputs),
  }),
  isView: (inputs) => sameOrder(inputs[0]!, flattenOp.shape(inputs, {})[0]!),
  gradient: (node, [dy], needs) => [dy && needs[0] ? reshapeTo(dy, node.inputs[0]!.type) : null],
  candidates: ({ inputs, outputs, traits }) =>
    sameOrder(inputs[0]!, outputs[0]!) ? [] : relayouts(inputs[0]!, outputs[0]!, traits),
};

/** Merges all dimensions but the first: `[n, ...]` -> `[n, product of the rest]`. */
export function flatten(x: Tensor): Tensor {
  return x.graph.apply(flattenOp, {}, [x])[0]!;
}
