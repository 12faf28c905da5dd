import { InputError } from "../runtime/core/errors.ts";
import { formatShape, sameShape, sizeOf } from "../runtime/core/shape.ts";
import type { ElementwiseForm, OpDef, Tensor } from "../runtime/graph/op.ts";
import { isImages } from "../runtime/graph/types.ts";
import type { NoAttrs } from "./activation.ts";
import { bytesOf } from "./buffers.ts";
import { formKernel, overInputs } from "./kernels/elementwise_form.ts";
import { floatOf } from "./kernels/tensors.ts";
import { asImages } from "./to_layout.ts";

const FORM: ElementwiseForm = { name: "add", inputs: ["a", "b"], value: "a + b", flops: 1 };

/** y = a + b for tensors of the same shape; da = db = dy. */
export const addOp: OpDef<NoAttrs> = {
  type: "add",
  precision: "follow",
  aliases: { nnc: "Add2" },
  shape([a, b]) {
    floatOf(a!, "add", "both inputs");
    floatOf(b!, "add", "both inputs");
    if (!sameShape(a!.shape, b!.shape)) {
      throw new InputError(
        `add expects two tensors of the same shape, got ${formatShape(a!.shape)} and ${formatShape(b!.shape)}; ` +
          "match the channels and strides of the two branches, for instance with a 1x1 convolution on one of them",
      );
    }
    if (a!.dtype !== b!.dtype) {
      throw new InputError(
        `add expects two tensors of the same type, got ${a!.dtype} and ${b!.dtype}; cast one of them`,
      );
    }
    if (a!.layout !== b!.layout) throw new Error(`add: layouts ${a!.layout} and ${b!.layout} differ`);
    return [a!];
  },
  cost: (inputs, outputs) => ({ flops: sizeOf(outputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  gradient: (_node, [dy], needs) => needs.map((needed) => needed ? dy ?? null : null),
  elementwise: () => FORM,
  inPlace: overInputs,
  candidates: (context) => [formKernel(FORM, context)],
};

/**
 * Adds two tensors elementwise, as in a skip connection.
 *
 * @throws {InputError} if the shapes or the element types differ; nothing is broadcast
 */
export function add(a: Tensor, b: Tensor): Tensor {
  const inputs = isImages(a.type) || isImages(b.type) ? [asImages(a), asImages(b)] : [a, b];
  return a.graph.apply(addOp, {}, inputs)[0]!;
}
