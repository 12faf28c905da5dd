import { defineKernel, type KernelSpec, LINEAR_INDEX, linearGrid } from "../../runtime/device/kernel.ts";
import { StepWord } from "./step_state.ts";
import type { FloatType } from "../../runtime/core/dtype.ts";
import type { DecayForm, UpdateRange } from "./update_kernel.ts";

const WORKGROUP = 64;
/** Vectors of four parameters that one invocation handles. */
const PER_LANE = 4;

/** Kernel over the parameters of an arena, apart from the loop. */
export interface ParameterForm extends Pick<Parameters<typeof defineKernel>[0], "name" | "buffers" | "prelude"> {
  /** Fields of `u` that `statements` read. */
  readonly uniforms: Parameters<typeof defineKernel>[0]["uniforms"];
  /** WGSL for the vector with index `i`, given `scale: f32`, which unscales gradients. */
  readonly statements: string;
}

/**
 * Returns a kernel that runs statements for every vector of four parameters, and does nothing in a skipped step. The step
 * state is buffer `S`.
 */
export function parameterKernel(
  { uniforms, statements, ...form }: ParameterForm,
  { vectors, maxPerDimension }: { readonly vectors: number; readonly maxPerDimension: number },
): KernelSpec {
  return defineKernel({
    ...form,
    uniforms: { vectors, perLane: PER_LANE, ...uniforms },
    workgroupSize: [WORKGROUP],
    grid: linearGrid(Math.ceil(vectors / PER_LANE), WORKGROUP, maxPerDimension),
    body: `
  if (S[${StepWord.skip}] != 0u) { return; }
  let scale = bitcast<f32>(S[${StepWord.inverseScale}]);
  let first = (${LINEAR_INDEX(WORKGROUP)} / ${WORKGROUP}u) * ${WORKGROUP}u * u.perLane + lix;
  for (var n = 0u; n < u.perLane; n++) {
    let i = first + n * ${WORKGROUP}u;
    if (i >= u.vectors) { return; }
    ${statements}
  }`,
  });
}

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
