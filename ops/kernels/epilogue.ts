/**
 * An activation applied to what a kernel writes, while it is in registers: for every family alike, since all of them write
 * finished values with `store`. Partial sums go to scratch memory and are left alone; the kernel that adds them up has the
 * epilogue.
 *
 * @module
 */
import type { Epilogue, KernelPlan } from "../../runtime/device/kernel.ts";
import { renderCode } from "../../runtime/graph/form_code.ts";
import type { ElementwiseForm } from "../../runtime/graph/op.ts";

/** A form of one input as an epilogue. */
export function epilogueOf(
  { name, inputs, uniforms, prelude = [], statements, value }: ElementwiseForm,
): Epilogue {
  const [x] = inputs;
  if (inputs.length !== 1 || typeof x !== "string" || uniforms !== undefined) {
    throw new Error(`${name} is no function of one value`);
  }
  const apply = `fn epilogue(${x}: vec4<f32>) -> vec4<f32> { ${renderCode(statements)} return ${renderCode(value)}; }`;
  return { name, code: `${[...prelude, apply].join("\n")}\n` };
}

/** Names a plan and its kernels after the epilogue that they were made with. */
export function namedAfter({ name }: Epilogue, plan: KernelPlan): KernelPlan {
  const kernels = plan.kernels.map((kernel) => {
    if (!kernel.bindings.some(({ ref }) => "output" in ref && ref.output === 0)) return kernel;
    if (kernel.epilogue !== name) throw new Error(`${kernel.name} stores values without ${name}`);
    return { ...kernel, name: `${kernel.name}.${name}` };
  });
  return { ...plan, name: `${plan.name}.${name}`, kernels };
}
