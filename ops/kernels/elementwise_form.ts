/**
 * Kernels of ops that are defined as elementwise code (`ElementwiseForm`).
 *
 * @module
 */
import { isFloat } from "../../runtime/core/dtype.ts";
import { sameShape } from "../../runtime/core/shape.ts";
import type { KernelOptions, KernelPlan } from "../../runtime/device/kernel.ts";
import { renderCode } from "../../runtime/graph/form_code.ts";
import type { ElementwiseForm, InPlace, KernelContext } from "../../runtime/graph/op.ts";
import type { TensorType } from "../../runtime/graph/types.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { elementwise } from "./elementwise.ts";
import { inputBuffer, outputBuffer } from "./tensors.ts";

/** Returns the kernel of a single elementwise op. */
export function formKernel<A>(form: ElementwiseForm, context: KernelContext<A>): KernelPlan {
  const { tensors, buffers } = bindInputs(form, context.inputs);
  return elementwise({
    name: form.name,
    traits: context.traits,
    type: context.outputs[0]!,
    inputs: tensors,
    outputs: { result: { ...outputBuffer(context.outputs, 0, context.over), value: renderCode(form.value) } },
    buffers,
    uniforms: form.uniforms ?? {},
    prelude: (form.prelude ?? []).join("\n"),
    statements: renderCode(form.statements),
  });
}

/** Returns the declarations of a form's inputs by name. */
function bindInputs(form: ElementwiseForm, types: readonly TensorType[]) {
  const tensors: Record<string, FloatBuffer> = {};
  const buffers: Record<string, KernelOptions["buffers"][string]> = {};
  form.inputs.forEach((input, i) => {
    if (typeof input === "string") tensors[input] = inputBuffer(types, i);
    else buffers[input.buffer] = { ref: { input: i }, type: input.type };
  });
  return { tensors, buffers };
}

/** Allows each output to overwrite any input of the same type, as an elementwise op can. */
export function overInputs(inputs: readonly TensorType[], outputs: readonly TensorType[]): InPlace[] {
  return outputs.flatMap((to, output) =>
    inputs.flatMap((from, input) =>
      isFloat(from.dtype) && from.dtype === to.dtype && from.layout === to.layout && sameShape(from.shape, to.shape)
        ? [{ input, output }]
        : []
    )
  );
}
