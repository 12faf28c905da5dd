/**
 * Activations applied to a kernel's results while they are in registers. This works for every kernel family, since all
 * of them write final values with `store`. Kernels that write partial sums to scratch memory have no epilogue; the
 * kernel that adds the partial sums has it.
 *
 * @module
 */
import type { Epilogue, KernelPlan } from "../../runtime/device/kernel.ts";
import { renderCode } from "../../runtime/graph/form_code.ts";
import type { ElementwiseForm } from "../../runtime/graph/op.ts";

/**
 * Converts elementwise code with one input to an epilogue.
 *
 * @throws {Error} if the code has several inputs, a buffer or uniforms
 */
export function epilogueOf(
  { name, inputs, uniforms, prelude = [], statements, value }: ElementwiseForm,
): Epilogue {
  const [x] = inputs;
  if (inputs.length !== 1 || typeof x !== "string" || uniforms !== undefined) {
    throw new Error(`${name} cannot be an epilogue: expected code of one value without uniforms`);
  }
  const apply = `fn epilogue(${x}: vec4<f32>) -> vec4<f32> { ${renderCode(statements)} return ${renderCode(value)}; }`;
  return { name, code: `${[...prelude, apply].join("\n")}\n` };
}

/**
 * Appends the epilogue's name to the names of a plan and of the kernels that apply it.
 *
 * @throws {Error} if a kernel writes output 0 without the epilogue
 */
export function namedAfter({ name }: Epilogue, plan: KernelPlan): KernelPlan {
  const kernels = plan.kernels.map((kernel) => {
    if (!kernel.bindings.some(({ ref }) => "output" in ref && ref.output === 0)) return kernel;
    if (kernel.epilogue !== name) throw new Error(`${kernel.name} writes the output without the epilogue ${name}`);
    return { ...kernel, name: `${kernel.name}.${name}` };
  });
  return { ...plan, name: `${plan.name}.${name}`, kernels };
}
