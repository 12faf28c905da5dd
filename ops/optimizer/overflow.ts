import { defineKernel, type KernelSpec, LINEAR_INDEX, linearGrid } from "../../runtime/device/kernel.ts";
import type { FloatType } from "../../runtime/core/dtype.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { unroll } from "../kernels/unroll.ts";
import { StepWord } from "./step_state.ts";

/** Bytes of gradients per entry of the table, which holds the number of valid elements. */
export const GRADIENT_BLOCK_BYTES = 256;

const WORKGROUP = 64;
/** Vectors of 16 bytes in a block. */
const WORDS = GRADIENT_BLOCK_BYTES / 16;
const GPU_WORKGROUP = 256;
/** Vectors that an invocation tests on GPUs. */
const AT_ONCE = 4;

/**
 * Returns a kernel that sets the overflow flag in the step state if a gradient is not finite. It tests the exponent's
 * bits, since WGSL lets a compiler assume that there are neither NaNs nor infinities.
 *
 * Gradients are stored in blocks of 256 bytes. The table limits the test to the valid elements at the start of each
 * block. On software adapters one invocation tests a block; on GPUs neighbouring invocations read neighbouring vectors.
 *
 * Buffers: 0 gradients, 1 table (`u32` valid elements per block), 2 step state.
 */
export function overflowTestKernel(blocks: number, dtype: FloatType, traits: DeviceTraits): KernelSpec {
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
  const cpu = traits.class === "cpu";
  const workgroup = cpu ? WORKGROUP : GPU_WORKGROUP;
  const lanes = cpu ? blocks : blocks * WORDS / AT_ONCE;
  return defineKernel({
    name: `update.overflow.${dtype}`,
    buffers: {
      gradients: { ref: { input: 0 }, type: "vec4<u32>" },
      table: { ref: { input: 1 }, type: "u32" },
      S: { ref: { output: 0 }, type: "atomic<u32>" },
    },
    uniforms: { blocks, words: WORDS },
    workgroupSize: [workgroup],
    grid: linearGrid(lanes, workgroup, traits.maxWorkgroupsPerDimension),
    body: cpu ? blockOfALane(test) : wordsOfALane(test),
  });
}

function blockOfALane(test: string): string {
  return `
  let block = ${LINEAR_INDEX(WORKGROUP)};
  if (block >= u.blocks) { return; }
  let valid = table[block];
  for (var i = 0u; i < u.words; i++) {
    let word = gradients[block * u.words + i];
    ${test}
  }`;
}

/** Returns code that reads vectors one workgroup apart, all before it tests the first. */
function wordsOfALane(test: string): string {
  return `
  let first = (wid.y * grid.x + wid.x) * ${GPU_WORKGROUP * AT_ONCE}u + lix;
${
    unroll(AT_ONCE, (n) =>
      `  let at${n} = first + ${n * GPU_WORKGROUP}u;
  let word${n} = gradients[at${n}];
  let valid${n} = table[at${n} / u.words];`)
  }
${
    unroll(AT_ONCE, (n) =>
      `  if (at${n} < u.blocks * u.words) {
      let i = at${n} % u.words;
      let word = word${n};
      let valid = valid${n};${test}
  }`)
  }`;
}
