import { InputError } from "../runtime/core/errors.ts";
import { formatShape, sameShape, sizeOf } from "../runtime/core/shape.ts";
import type { OpDef } from "../runtime/graph/op.ts";
import type { Tensor } from "../runtime/graph/tensor.ts";
import type { NoAttrs } from "./activation.ts";
import { bytesOf } from "./buffers.ts";
import { elementwise } from "./kernels/elementwise.ts";
import { floatOf, inputBuffer, outputBuffer } from "./kernels/tensors.ts";

/** y = a + b for tensors of one shape; da = db = dy. */
export const addOp: OpDef<NoAttrs> = {
  type: "add",
  dtypeRule: "follow",
  shape([a, b]) {
    floatOf(a!, "add", "both inputs");
    floatOf(b!, "add", "both inputs");
    if (!sameShape(a!.shape, b!.shape)) {
      throw new InputError(
        `add expects two tensors of one shape, got ${formatShape(a!.shape)} and ${formatShape(b!.shape)}; ` +
          "make channels and strides of the two branches the same, for instance by a 1x1 convolution on one of them",
      );
    }
    if (a!.dtype !== b!.dtype) {
      throw new InputError(`add expects two tensors of one type, got ${a!.dtype} and ${b!.dtype}; cast one of them`);
    }
    if (a!.layout !== b!.layout) throw new Error(`add: layouts ${a!.layout} and ${b!.layout} differ`);
    return [a!];
  },
  cost: (inputs, outputs) => ({ flops: sizeOf(outputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  gradient: (_node, [dy], needs) => needs.map((needed) => needed ? dy ?? null : null),
  candidates: ({ inputs, outputs, traits }) => [elementwise({
    name: "add",
    traits,
    type: outputs[0]!,
    inputs: { a: inputBuffer(inputs, 0), b: inputBuffer(inputs, 1) },
    outputs: { y: { ...outputBuffer(outputs, 0), value: "a + b" } },
  })],
};

/** Sum of two tensors of one shape. */
export function add(a: Tensor, b: Tensor): Tensor {
  return a.graph.apply(addOp, {}, [a, b])[0]!;
}
