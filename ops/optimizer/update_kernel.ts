import type { FloatType } from "../../runtime/core/dtype.ts";
import {
  defineKernel,
  type KernelSpec,
  LINEAR_INDEX,
  linearGrid,
  type UniformValue,
} from "../../runtime/device/kernel.ts";
import { StepWord } from "./step_state.ts";

const WORKGROUP = 64;
/** Vectors of four parameters that one invocation updates. */
const PER_LANE = 4;
/** In f16 the square of a small gradient is zero, and Adam divides by its root. */
const STATE = "vec4<f32>";

export interface UpdateKernelOptions {
  readonly name: string;
  /** Storage type of parameters and gradients; optimizer state and arithmetic are f32. */
  readonly dtype: FloatType;
  /** Vectors of four parameters in the range that is updated. */
  readonly vectors: number;
  readonly maxPerDimension: number;
  /** Optimizer state tensors as large as the parameters. */
  readonly states: number;
  readonly uniforms: Readonly<Record<string, UniformValue>>;
  /**
   * WGSL that changes `var p: vec4<f32>` given `gradient: vec4<f32>` (unscaled), the step state `S`, and
   * `load_stateN(i)` / `store_stateN(i, value)`.
   */
  readonly body: string;
}

/**
 * One kernel for all parameters of an arena: unscales the gradient, updates, and does nothing in a step that is skipped.
 *
 * Buffers: 0 gradients, 1 step state, 2 parameters, 3 and up optimizer state.
 */
export function updateKernel(options: UpdateKernelOptions): KernelSpec {
  const type = `vec4<${options.dtype}>`;
  const states = Array.from({ length: options.states }, (_, n) => n);
  return defineKernel({
    name: options.name,
    buffers: {
      gradients: { ref: { input: 0 }, type },
      S: { ref: { input: 1 }, type: "u32" },
      parameters: { ref: { output: 0 }, type },
      ...Object.fromEntries(states.map((n) => [`state${n}`, { ref: { output: n + 1 }, type: STATE }])),
    },
    uniforms: { vectors: options.vectors, perLane: PER_LANE, ...options.uniforms },
    workgroupSize: [WORKGROUP],
    grid: linearGrid(Math.ceil(options.vectors / PER_LANE), WORKGROUP, options.maxPerDimension),
    prelude: states.map((n) => `
fn load_state${n}(i: u32) -> vec4<f32> { return state${n}[i]; }
fn store_state${n}(i: u32, value: vec4<f32>) { state${n}[i] = value; }`).join(""),
    body: `
  if (S[${StepWord.skip}] != 0u) { return; }
  let scale = bitcast<f32>(S[${StepWord.inverseScale}]);
  let first = (${LINEAR_INDEX(WORKGROUP)} / ${WORKGROUP}u) * ${WORKGROUP}u * u.perLane + lix;
  for (var n = 0u; n < u.perLane; n++) {
    let i = first + n * ${WORKGROUP}u;
    if (i >= u.vectors) { return; }
    let gradient = vec4<f32>(gradients[i]) * scale;
    var p = vec4<f32>(parameters[i]);
    ${options.body}
    parameters[i] = ${type}(p);
  }`,
  });
}
