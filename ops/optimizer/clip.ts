import type { FloatType } from "../../runtime/core/dtype.ts";
import { defineKernel, type KernelSpec, linearGrid } from "../../runtime/device/kernel.ts";
import { teamSum } from "../kernels/team.ts";
import { GRADIENT_BLOCK_BYTES } from "./overflow.ts";
import { StepWord as W } from "./step_state.ts";

const WORKGROUP = 64;

/** Constant added to the norm, as in PyTorch's `clip_grad_norm_`. */
const EPSILON = 1e-6;

/** Returns the number of partial sums of squares, for a number of blocks of gradients. */
export function partialSums(blocks: number): number {
  return Math.ceil(blocks / WORKGROUP);
}

/** WGSL of `teamSum(value, lix)`, the sum over a workgroup in a fixed order. */
const TEAM_SUM = teamSum({ columns: 1, members: WORKGROUP }, "f32");

/**
 * Returns the kernel that adds up the squares of unscaled gradients, one partial sum for each 64 blocks of 256 bytes. The
 * table limits the sum to the valid elements at the start of each block.
 *
 * Buffers: 0 gradients, 1 table (`u32` valid elements per block), 2 step state, 3 partial sums.
 *
 * @param first index of the first partial sum
 */
export function squaresKernel(
  { blocks, first, dtype, maxPerDimension }: {
    readonly blocks: number;
    readonly first: number;
    readonly dtype: FloatType;
    readonly maxPerDimension: number;
  },
): KernelSpec {
  const vectors = GRADIENT_BLOCK_BYTES / (dtype === "f32" ? 16 : 8);
  return defineKernel({
    name: `clip.squares.${dtype}`,
    buffers: {
      gradients: { ref: { input: 0 }, type: `vec4<${dtype}>` },
      table: { ref: { input: 1 }, type: "u32" },
      S: { ref: { input: 2 }, type: "u32" },
      partial: { ref: { output: 0 }, type: "f32" },
    },
    uniforms: { blocks, first, vectors },
    prelude: TEAM_SUM,
    workgroupSize: [WORKGROUP],
    grid: linearGrid(blocks, WORKGROUP, maxPerDimension),
    body: `
  let scale = bitcast<f32>(S[${W.inverseScale}]);
  let group = wid.y * grid.x + wid.x;
  let block = group * ${WORKGROUP}u + lix;
  var sum = 0.0;
  if (block < u.blocks) {
    let valid = table[block];
    for (var i = 0u; i < u.vectors; i++) {
      let at = vec4<u32>(i * 4u) + vec4<u32>(0u, 1u, 2u, 3u);
      let g = vec4<f32>(gradients[block * u.vectors + i]) * scale;
      let kept = select(vec4<f32>(0.0), g, at < vec4<u32>(valid));
      sum += dot(kept, kept);
    }
  }
  let total = teamSum(sum, lix);
  if (lix == 0u && group * ${WORKGROUP}u < u.blocks) { partial[u.first + group] = total; }`,
  });
}

/**
 * Returns the kernel, of one workgroup, that multiplies the factor on gradients by `min(1, clipNorm / (norm + 1e-6))`, where
 * `norm` is the square root of the sum of all partial sums.
 *
 * Buffers: 0 partial sums, 1 step state.
 */
export function clipKernel(clipNorm: number, count: number): KernelSpec {
  return defineKernel({
    name: "clip.scale",
    buffers: {
      partial: { ref: { input: 0 }, type: "f32" },
      S: { ref: { output: 0 }, type: "u32", access: "read_write" },
    },
    uniforms: { count, most: { f32: clipNorm } },
    prelude: TEAM_SUM,
    workgroupSize: [WORKGROUP],
    grid: [1],
    body: `
  var sum = 0.0;
  for (var i = lix; i < u.count; i += ${WORKGROUP}u) { sum += partial[i]; }
  let total = teamSum(sum, lix);
  if (lix == 0u) {
    let factor = min(1.0, u.most / (sqrt(total) + ${EPSILON}));
    S[${W.inverseScale}] = bitcast<u32>(bitcast<f32>(S[${W.inverseScale}]) * factor);
  }`,
  });
}
