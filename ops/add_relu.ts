import { sizeOf } from "../runtime/core/shape.ts";
import type { ElementwiseForm, OpDef } from "../runtime/graph/op.ts";
import type { NoAttrs } from "./activation.ts";
import { activationGrad } from "./activation_grad.ts";
import { addOp } from "./add.ts";
import { bytesOf } from "./buffers.ts";
import { formKernel, overInputs } from "./kernels/elementwise_form.ts";
import { rectified } from "./kernels/nan.ts";
import { outputOf } from "./kernels/tensors.ts";
import { reluOp } from "./relu.ts";

const FORM: ElementwiseForm = {
  name: "add_relu",
  inputs: ["a", "b"],
  value: rectified("(a + b)"),
  flops: 2,
};

/** y = max(a + b, 0) for tensors of the same shape; da = db = dy where y > 0, 0 elsewhere. */
export const addReluOp: OpDef<NoAttrs> = {
  type: "add_relu",
  precision: "follow",
  shape: addOp.shape,
  cost: (inputs, outputs) => ({ flops: 2 * sizeOf(outputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
  gradient(node, [dy], needs) {
    if (!dy || !needs.includes(true)) return [null, null];
    const { dz } = activationGrad(dy, outputOf(node, 0), reluOp.derivative({}), null);
    return needs.map((needed) => needed ? dz : null);
  },
  elementwise: () => FORM,
  inPlace: overInputs,
  candidates: (context) => [formKernel(FORM, context)],
};
