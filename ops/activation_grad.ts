import { sizeOf } from "../runtime/core/shape.ts";
import type { ElementwiseForm, Member, OpDef, Tensor } from "../runtime/graph/op.ts";
import type { TensorType } from "../runtime/graph/types.ts";
import { isActivation } from "./activation.ts";
import { biasGradOf } from "./bias_grad.ts";
import { bytesOf } from "./buffers.ts";
import { biasActivationGradKernels } from "./kernels/bias_activation_grad.ts";
import { rowsOf } from "./kernels/channel_rows.ts";
import { formKernel, overInputs } from "./kernels/elementwise_form.ts";
import { inputBuffer, outputBuffer } from "./kernels/tensors.ts";

export interface ActivationGradAttrs {
  /** Code of dz, with `dy` and the activation's input or output as inputs. */
  readonly form: ElementwiseForm;
}

export interface BiasActivationGradAttrs extends ActivationGradAttrs {
  /** Type of the bias. */
  readonly bias: TensorType;
}

/** Gradient of an activation that another op's kernel applies to z. Inputs: dy, and y or x. Output: dz. */
export const activationGradOp: OpDef<ActivationGradAttrs> = {
  type: "activation_grad",
  precision: "follow",
  shape: ([dy]) => [dy!],
  cost: (inputs, outputs, { form }) => ({
    flops: form.flops * sizeOf(outputs[0]!.shape),
    bytes: bytesOf(...inputs, ...outputs),
  }),
  elementwise: ({ form }) => form,
  inPlace: overInputs,
  candidates: (context) => [formKernel(context.attrs.form, context)],
};

/**
 * {@linkcode activationGradOp} fused with the gradient of the bias: one pass over dy computes dz and its sums. Outputs:
 * dz, db.
 */
export const biasActivationGradOp: OpDef<BiasActivationGradAttrs> = {
  type: "bias_activation_grad",
  precision: "follow",
  shape: ([dy], { bias }) => [dy!, bias],
  cost: (inputs, outputs, { form }) => ({
    flops: (form.flops + 1) * sizeOf(outputs[0]!.shape),
    bytes: bytesOf(...inputs, ...outputs),
  }),
  inPlace: () => [{ input: 0, output: 0 }, { input: 1, output: 0 }],
  candidates: ({ inputs, outputs, traits, attrs, over }) => [biasActivationGradKernels({
    shape: rowsOf(inputs[0]!, sizeOf(attrs.bias.shape), traits),
    form: attrs.form,
    inputs: [inputBuffer(inputs, 0), inputBuffer(inputs, 1)],
    dz: outputBuffer(outputs, 0, over),
    db: outputBuffer(outputs, 1),
    traits,
  })],
};

/**
 * Adds the gradient of an activation's input z and, if `bias` is given, of the bias that was added to z.
 *
 * @param saved the activation's output or input, as `form` requires
 * @param bias type of the bias, or `null` for no bias
 * @param of the op with the bias and the activation, which one node replaces
 */
export function activationGrad(
  dy: Tensor,
  saved: Tensor,
  form: ElementwiseForm,
  bias: TensorType | null,
  of: readonly Member[] = [],
): { dz: Tensor; db: Tensor | null } {
  const [product, activation] = of;
  const members = product === undefined || activation === undefined ? [] : [
    { id: `${activation.id}/${form.name}`, op: isActivation(activation.op) ? activation.op.gradientOp : activation.op },
    ...bias === null ? [] : [{ id: `${product.id}/bias_grad`, op: biasGradOf(dy) }],
  ];
  if (bias === null) {
    return { dz: dy.graph.apply(activationGradOp, { form }, [dy, saved], form.name, members)[0]!, db: null };
  }
  const [dz, db] = dy.graph.apply(biasActivationGradOp, { form, bias }, [dy, saved], form.name, members);
  return { dz: dz!, db: db! };
}
