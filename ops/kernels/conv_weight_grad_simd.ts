/**
 * Weight gradient of a convolution with subgroups. The lanes of a subgroup span the output channels, `vectors` times
 * four each, and share a tile of rows (ky, kx, input channel): every lane loads a part (`simd.ts`). A
 * workgroup sums over its share of the output's lines. Writes the same partial sums as `conv_weight_grad.ts`; the
 * numbers of channels must be multiples of four.
 *
 * @module
 */
import { defineKernel, type KernelPlan, type KernelSpec } from "../../runtime/device/kernel.ts";
import { type ConvGeometry, linesOf } from "../conv_geometry.ts";
import { load } from "./access.ts";
import {
  imageUniforms,
  weightGradBuffers,
  type WeightGradOptions,
  weightGradPlan,
  type WeightGradProblem,
  weightGradShares,
  weightRows,
  windowUniforms,
} from "./conv_weight_grad_plan.ts";
import { simdColumns, type SimdTile } from "./matmul_simd.ts";
import { fromLane, sharedLoads, shareOfLane, simdName } from "./simd.ts";
import { forRows, sumRows } from "./store_tile.ts";
import { unroll, unroll2 } from "./unroll.ts";

export function weightGradSimdFits(geometry: ConvGeometry): boolean {
  return geometry.inputChannels % 4 === 0 && geometry.outputChannels % 4 === 0;
}

function columnTiles(geometry: ConvGeometry, tile: SimdTile): number {
  return Math.ceil(geometry.outputChannels / simdColumns(tile));
}

export function simdWeightGradPlan(problem: WeightGradProblem, tile: SimdTile): KernelPlan {
  const { geometry } = problem;
  const splits = weightGradShares(problem, {
    tiles: Math.ceil(weightRows(geometry) / tile.rows) * columnTiles(geometry, tile) * geometry.groups,
    wanted: 512,
    most: linesOf(geometry),
  });
  return weightGradPlan(problem, splits, (options) => kernel(options, tile));
}

function kernel(options: WeightGradOptions, tile: SimdTile): KernelSpec {
  const { x, dy, geometry: g, splits } = options;
  const lines = linesOf(g);
  const rows = weightRows(g);
  return defineKernel({
    name: `${options.name}.${simdName("simd", tile.lanes)}.${tile.rows}x${simdColumns(tile)}.${x.dtype}_${dy.dtype}`,
    buffers: weightGradBuffers(options, { x: 4, dy: 4 }),
    uniforms: {
      lines,
      linesPerSplit: Math.ceil(lines / splits),
      ...imageUniforms(g),
      ...windowUniforms(g),
      groups: g.groups,
      inputVectors: g.inputChannels / 4,
      rows,
      vectors: g.outputChannels / 4,
      columnTiles: columnTiles(g, tile),
    },
    workgroupSize: [tile.lanes],
    grid: [splits, Math.ceil(rows / tile.rows), columnTiles(g, tile) * g.groups],
    body: () => body(options, tile),
  });
}

function body({ x, dy, traits }: WeightGradOptions, { lanes: L, rows: R, vectors: V }: SimdTile): string {
  const loads = sharedLoads(R / 4, L);
  return `
let row = wid.y * ${R}u;
let group = wid.z / u.columnTiles;
let vector = (wid.z % u.columnTiles) * ${L * V}u + lix;
let pixel = u.groups * u.inputVectors;
let dyRow = u.groups * u.vectors;
${
    unroll(loads, (i) =>
      `let quad${i} = min(row / 4u + ${shareOfLane(i, R / 4, L)}, u.rows / 4u - 1u);
let tap${i} = quad${i} / u.inputVectors;
let channel${i} = group * u.inputVectors + quad${i} % u.inputVectors;
let moveY${i} = i32((tap${i} / u.kernelX) * u.dilationY) - u.paddingY;
let moveX${i} = i32((tap${i} % u.kernelX) * u.dilationX) - u.paddingX;`)
  }
${unroll(V, (v) => `let d${v} = group * u.vectors + min(vector + ${L * v}u, u.vectors - 1u);`)}
${unroll2(R, V, (r, v) => `var sum${r}_${v} = vec4<f32>();`)}
let end = min((wid.x + 1u) * u.linesPerSplit, u.lines);
for (var line = wid.x * u.linesPerSplit; line < end; line++) {
  let image = line / u.outputY;
  let y = i32((line % u.outputY) * u.strideY);
${
    unroll(loads, (i) =>
      `  let y${i} = u32(y + moveY${i});
  let limit${i} = select(0u, u.inputX, y${i} < u.inputY);
  let at${i} = (image * u.inputY + y${i}) * u.inputX;`)
  }
  for (var ox = 0u; ox < u.outputX; ox++) {
    let left = i32(ox * u.strideX);
${
    unroll(loads, (i) =>
      `    let x${i} = u32(left + moveX${i});
    let in${i} = x${i} < limit${i};
    let a${i} = select(vec4<f32>(), ${
        load("x", `select(0u, (at${i} + x${i}) * pixel, in${i}) + channel${i}`, x.dtype, 4)
      }, in${i});`)
  }
${unroll(V, (v) => `    let b${v} = ${load("dy", `(line * u.outputX + ox) * dyRow + d${v}`, dy.dtype, 4)};`)}
${
    unroll(R / 4, (q) =>
      `    let q${q} = ${fromLane(`a${Math.floor(q / L)}`, q % L)};
${unroll2(4, V, (j, v) => `    sum${4 * q + j}_${v} += q${q}[${j}] * b${v};`)}`)
  }
  }
}
let first = (wid.x * u.rows + row) * dyRow + group * u.vectors;
${
    forRows(traits, sumRows(R, V), (r, sums) =>
      `if (row + ${r} < u.rows) {
${
        unroll(V, (v) => {
          const column = `vector + ${L * v}u`;
          return `  if (${column} < u.vectors) { partial[first + ${r} * dyRow + ${column}] = ${sums[v]}; }`;
        })
      }
}`)
  }`;
}
