import { defineKernel, type KernelSpec, LINEAR_INDEX, linearGrid } from "../../runtime/device/kernel.ts";
import { StepWord } from "./step_state.ts";

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
