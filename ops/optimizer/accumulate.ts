import type { FloatType } from "../../runtime/core/dtype.ts";
import { defineKernel, type KernelSpec, LINEAR_INDEX, linearGrid } from "../../runtime/device/kernel.ts";
import { StepWord as W } from "./step_state.ts";

const WORKGROUP = 64;

/**
 * Returns the kernel that adds the gradients of a micro-batch, divided by the number of micro-batches, to the gradients of
 * the step. The first micro-batch of a step replaces the gradients of the previous step.
 *
 * Buffers: 0 gradients of the micro-batch, 1 step state, 2 gradients of the step.
 */
export function accumulateKernel(
  batches: number,
  { dtype, vectors, maxPerDimension }: { dtype: FloatType; vectors: number; maxPerDimension: number },
): KernelSpec {
  const type = `vec4<${dtype}>`;
  return defineKernel({
    name: `accumulate.gradients.${dtype}`,
    buffers: {
      micro: { ref: { input: 0 }, type },
      S: { ref: { input: 1 }, type: "u32" },
      gradients: { ref: { output: 0 }, type, access: "read_write" },
    },
    uniforms: { vectors, batches, share: { f32: 1 / batches } },
    workgroupSize: [WORKGROUP],
    grid: linearGrid(vectors, WORKGROUP, maxPerDimension),
    body: `
  let i = ${LINEAR_INDEX(WORKGROUP)};
  if (i >= u.vectors) { return; }
  let part = vec4<f32>(micro[i]) * u.share;
  if (S[${W.step}] % u.batches == 0u) {
    gradients[i] = ${type}(part);
  } else {
    gradients[i] = ${type}(vec4<f32>(gradients[i]) + part);
  }`,
  });
}

/**
 * Returns the kernel, of one invocation, that adds the loss of a micro-batch to the step's mean loss and counts the
 * micro-batch. It runs after the gradients of the micro-batch were added.
 *
 * Buffers: 0 step state, 1 loss `f32[1]`.
 */
export function accumulateLossKernel(batches: number): KernelSpec {
  return defineKernel({
    name: "accumulate.loss",
    buffers: {
      S: { ref: { input: 0 }, type: "u32", access: "read_write" },
      loss: { ref: { input: 1 }, type: "f32" },
    },
    uniforms: { batches, share: { f32: 1 / batches } },
    workgroupSize: [1],
    grid: [1],
    body: `
  let before = select(bitcast<f32>(S[${W.lossSum}]), 0.0, S[${W.step}] % u.batches == 0u);
  S[${W.lossSum}] = bitcast<u32>(before + loss[0] * u.share);
  S[${W.step}] += 1u;`,
  });
}
