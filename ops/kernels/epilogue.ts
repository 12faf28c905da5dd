/**
 * An activation applied to what a kernel writes, while it is in registers: for every family alike, since a kernel's
 * stores to the output are the only place where finished values appear. Partial sums go to scratch memory and are left
 * alone; the kernel that adds them up gets the epilogue.
 *
 * @module
 */
import type { KernelPlan, KernelSpec } from "../../runtime/device/kernel.ts";
import { mapStores, storageVariables } from "../../runtime/device/kernel_code.ts";
import type { ElementwiseForm } from "../../runtime/graph/op.ts";

/** `plan` with the form, of one input, applied to output 0; null where a kernel reads that output back. */
export function withEpilogue(plan: KernelPlan, form: ElementwiseForm): KernelPlan | null {
  const kernels: KernelSpec[] = [];
  for (const kernel of plan.kernels) {
    const at = kernel.bindings.findIndex(({ ref }) => "output" in ref && ref.output === 0);
    const changed = at < 0 ? kernel : applied(kernel, at, form);
    if (changed === null) return null;
    kernels.push(changed);
  }
  return { ...plan, name: `${plan.name}.${form.name}`, kernels };
}

function applied(kernel: KernelSpec, binding: number, form: ElementwiseForm): KernelSpec | null {
  const { name, element } = storageVariables(kernel)[binding]!;
  const wgsl = mapStores(kernel.wgsl, name, (value) => {
    const exact = unwrapped(value, element);
    return element.startsWith("vec4")
      ? `${element}(epilogue(vec4<f32>(${exact})))`
      : `${element}(epilogue(vec4<f32>(f32(${exact}))).x)`;
  });
  if (wgsl === null) return null;
  const [x] = form.inputs;
  if (form.inputs.length !== 1 || typeof x !== "string" || form.uniforms !== undefined) return null;
  const functions = [
    ...form.prelude ?? [],
    `fn epilogue(${x}: vec4<f32>) -> vec4<f32> { ${form.statements ?? ""} return ${form.value}; }`,
  ];
  return { ...kernel, name: `${kernel.name}.${form.name}`, wgsl: `${wgsl}${functions.join("\n")}\n` };
}

/** The value inside of its conversion to the element type, so that it is rounded only once. */
function unwrapped(value: string, element: string): string {
  const text = value.trim();
  const inner = text.slice(element.length + 1, -1);
  if (!text.startsWith(`${element}(`) || !text.endsWith(")")) return text;
  let depth = 0;
  for (const letter of inner) {
    if (letter === "(") depth++;
    else if (letter === ")" && --depth < 0) return text;
  }
  return inner;
}
