import { defineKernel, type KernelSpec, LINEAR_INDEX, linearGrid } from "../../runtime/device/kernel.ts";
import { StepWord } from "./step_state.ts";
import type { DecayForm, UpdateRange } from "./update_kernel.ts";

/** Floating-point operations of weight decay per parameter, the gradient's unscaling included. */
export function decayFlops({ decoupled }: DecayForm): number {
  return decoupled ? 1 : 3;
}

const WORKGROUP = 64;
/** Vectors of four parameters for one invocation. */
const PER_LANE = 4;

/**
 * Returns a kernel that computes weight decay alone, to time it: the update kernel includes it. It reads and writes as much
 * as a separate pass would, and writes to the gradients, which no one reads after the update.
 *
 * Buffers: 0 parameters, 1 step state, 2 gradients.
 */
export function decayKernel(form: DecayForm, { dtype, vectors, maxPerDimension }: UpdateRange): KernelSpec {
  const type = `vec4<${dtype}>`;
  const decayed = `u.factor * vec4<f32>(parameters[i])`;
  return defineKernel({
    name: `weight_decay${form.decoupled ? ".decoupled" : ""}.${dtype}`,
    buffers: {
      parameters: { ref: { input: 0 }, type },
      S: { ref: { input: 1 }, type: "u32" },
      gradients: { ref: { output: 0 }, type },
    },
    uniforms: { vectors, perLane: PER_LANE, factor: { f32: form.factor } },
    workgroupSize: [WORKGROUP],
    grid: linearGrid(Math.ceil(vectors / PER_LANE), WORKGROUP, maxPerDimension),
    body: `
  if (S[${StepWord.skip}] != 0u) { return; }
  let scale = bitcast<f32>(S[${StepWord.inverseScale}]);
  let first = (${LINEAR_INDEX(WORKGROUP)} / ${WORKGROUP}u) * ${WORKGROUP}u * u.perLane + lix;
  for (var n = 0u; n < u.perLane; n++) {
    let i = first + n * ${WORKGROUP}u;
    if (i >= u.vectors) { return; }
    gradients[i] = ${type}(${form.decoupled ? decayed : `vec4<f32>(gradients[i]) * scale + ${decayed}`});
  }`,
  });
}
