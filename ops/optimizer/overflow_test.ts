import { defineKernel, type KernelSpec, LINEAR_INDEX, linearGrid } from "../../runtime/device/kernel.ts";
import type { FloatType } from "../../runtime/core/dtype.ts";
import { StepWord } from "./step_state.ts";

/** Bytes of gradients whose valid part one entry of the table tells. */
export const GRADIENT_BLOCK_BYTES = 256;

const WORKGROUP = 64;

/**
 * Looks for a gradient that is not finite and notes it in the step state. The test is on the exponent's bits, since WGSL
 * lets a compiler assume that there are neither NaNs nor infinities.
 *
 * Gradients lie in blocks of 256 bytes of which only a beginning may be valid: what lies behind a tensor's end is not
 * looked at. One invocation a block.
 *
 * Buffers: 0 gradients, 1 table (`u32` a block: its valid elements), 2 step state.
 */
export function overflowTestKernel(blocks: number, dtype: FloatType, maxPerDimension: number): KernelSpec {
  const test = dtype === "f32"
    ? `
      let bad = (word & vec4<u32>(0x7f800000u)) == vec4<u32>(0x7f800000u);
      let index = vec4<u32>(i * 4u) + vec4<u32>(0u, 1u, 2u, 3u);
      if (any(bad & (index < vec4<u32>(valid)))) { atomicOr(&S[${StepWord.overflow}], 1u); }`
    : `
      let low = (word & vec4<u32>(0x7c00u)) == vec4<u32>(0x7c00u);
      let high = (word & vec4<u32>(0x7c000000u)) == vec4<u32>(0x7c000000u);
      let index = vec4<u32>(i * 8u) + vec4<u32>(0u, 2u, 4u, 6u);
      if (any(low & (index < vec4<u32>(valid))) || any(high & (index + 1u < vec4<u32>(valid)))) {
        atomicOr(&S[${StepWord.overflow}], 1u);
      }`;
  return defineKernel({
    name: `update.overflow.${dtype}`,
    buffers: {
      gradients: { ref: { input: 0 }, type: "vec4<u32>" },
      table: { ref: { input: 1 }, type: "u32" },
      S: { ref: { output: 0 }, type: "atomic<u32>" },
    },
    uniforms: { blocks, words: GRADIENT_BLOCK_BYTES / 16 },
    workgroupSize: [WORKGROUP],
    grid: linearGrid(blocks, WORKGROUP, maxPerDimension),
    body: `
  let block = ${LINEAR_INDEX(WORKGROUP)};
  if (block >= u.blocks) { return; }
  let valid = table[block];
  for (var i = 0u; i < u.words; i++) {
    let word = gradients[block * u.words + i];
    ${test}
  }`,
  });
}
