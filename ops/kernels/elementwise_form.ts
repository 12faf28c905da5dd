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
import type { FloatBuffer } from "./access.ts";
import { elementwise, type SpreadInput } from "./elementwise.ts";
import { broadcastView } from "./strided.ts";
import { inputBuffer, outputBuffer } from "./tensors.ts";

/** Returns the kernel of a single elementwise op. Inputs are broadcast to the output. */
export function formKernel<A>(form: ElementwiseForm, context: KernelContext<A>): KernelPlan {
  const { tensors, spread, buffers } = bindInputs(form, context.inputs, context.outputs[0]!);
  return elementwise({
    name: form.name,
    traits: context.traits,
    type: context.outputs[0]!,
    inputs: tensors,
    spread,
    outputs: { result: { ...outputBuffer(context.outputs, 0, context.over), value: renderCode(form.value) } },
    buffers,
    uniforms: form.uniforms ?? {},
    prelude: (form.prelude ?? []).join("\n"),
    statements: renderCode(form.statements),
  });
}

/** Returns the declarations of a form's inputs by name. */
function bindInputs(form: ElementwiseForm, types: readonly TensorType[], output: TensorType) {
  const tensors: Record<string, FloatBuffer> = {};
  const spread: Record<string, SpreadInput> = {};
  const buffers: Record<string, KernelOptions["buffers"][string]> = {};
  form.inputs.forEach((input, i) => {
    if (typeof input !== "string") buffers[input.buffer] = { ref: { input: i }, type: input.type };
    else if (isAligned(types[i]!, output)) tensors[input] = inputBuffer(types, i);
    else spread[input] = spreadInput(types, i, output);
  });
  return { tensors, spread, buffers };
}

/** Returns true if an input has floats in the places of the elements of `output`. */
export function isAligned(input: TensorType, output: TensorType): boolean {
  return isFloat(input.dtype) && input.layout === output.layout && sameShape(input.shape, output.shape);
}

/** Returns input `index` as broadcast to `output`. */
export function spreadInput(types: readonly TensorType[], index: number, output: TensorType): SpreadInput {
  const type = types[index]!;
  return { ref: { input: index }, dtype: type.dtype, view: broadcastView(type, output) };
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
