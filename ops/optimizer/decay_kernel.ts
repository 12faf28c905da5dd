import type { KernelSpec } from "../../runtime/device/kernel.ts";
import { parameterKernel } from "./parameter_kernel.ts";
import type { DecayForm, UpdateRange } from "./update_kernel.ts";

/** Floating-point operations of weight decay per parameter, the gradient's unscaling included. */
export function decayFlops({ decoupled }: DecayForm): number {
  return decoupled ? 1 : 3;
}

/**
 * Returns a kernel that computes weight decay alone, to time it: the update kernel includes it. It reads and writes as much
 * as a separate pass would, and writes to the gradients, which are unused after the update.
 *
 * Buffers: 0 parameters, 1 step state, 2 gradients.
 */
export function decayKernel(form: DecayForm, range: UpdateRange): KernelSpec {
  const { dtype } = range;
  const type = `vec4<${dtype}>`;
  const decayed = `u.factor * vec4<f32>(parameters[i])`;
  return parameterKernel({
    name: `weight_decay${form.decoupled ? ".decoupled" : ""}.${dtype}`,
    buffers: {
      parameters: { ref: { input: 0 }, type },
      S: { ref: { input: 1 }, type: "u32" },
      gradients: { ref: { output: 0 }, type },
    },
    uniforms: { factor: { f32: form.factor } },
    statements: `gradients[i] = ${type}(${form.decoupled ? decayed : `vec4<f32>(gradients[i]) * scale + ${decayed}`});`,
  }, range);
}
