import type { FloatType } from "../../runtime/core/dtype.ts";
import type { KernelSpec } from "../../runtime/device/kernel.ts";
import { parameterKernel } from "./parameter_kernel.ts";
import { StepWord } from "./step_state.ts";

/**
 * Returns a kernel that updates the moving averages of the parameters: average = decay average + (1 - decay) p, and
 * average = p after the first update, as PyTorch's `AveragedModel` does. Averages are f32; f16 parameters also have a copy
 * of them in f16, which inference plans can read. A skipped step leaves the averages alone.
 *
 * Buffers: 0 parameters, 1 step state, 2 averages in f32, 3 their copy in f16 if parameters are f16.
 */
export function averageKernel(
  decay: number,
  range: { readonly dtype: FloatType; readonly vectors: number; readonly maxPerDimension: number },
): KernelSpec {
  const { dtype } = range;
  const type = `vec4<${dtype}>`;
  const copied = dtype === "f16";
  return parameterKernel({
    name: `update.average.${dtype}`,
    buffers: {
      parameters: { ref: { input: 0 }, type },
      S: { ref: { input: 1 }, type: "u32" },
      averages: { ref: { output: 0 }, type: "vec4<f32>" },
      ...copied && { copy: { ref: { output: 1 }, type } },
    },
    uniforms: { decay: { f32: decay }, rest: { f32: 1 - decay } },
    statements: `let p = vec4<f32>(parameters[i]);
    let average = select(u.decay * averages[i] + u.rest * p, p, S[${StepWord.updates}] <= 1u);
    averages[i] = average;${copied ? `\n    copy[i] = ${type}(average);` : ""}`,
  }, range);
}
