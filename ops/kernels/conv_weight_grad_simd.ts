/**
 * Gradient of a convolution to its weights by subgroups: the lanes of one lie along the output channels, `vectors` times four
 * each, and share a tile of rows (ky, kx, input channel), of which every lane loads a part (`simd.ts`). A workgroup sums over
 * its share of the output's lines. Writes the same partial sums as `conv_weight_grad.ts`; channels must come in multiples of
 * four.
 *
 * @module
 */
import { defineKernel, type KernelSpec } from "../../runtime/device/kernel.ts";
import { type ConvGeometry, linesOf } from "../conv_geometry.ts";
import { elementType, load } from "./access.ts";
import type { ConvWeightGradOptions } from "./conv_weight_grad.ts";
import type { SimdTile } from "./matmul_simd.ts";
import { fromLane, SIMD_LANES } from "./simd.ts";
import { unroll, unroll2 } from "./unroll.ts";

export function weightGradSimdFits(geometry: ConvGeometry): boolean {
  return geometry.inputChannels % 4 === 0 && geometry.outputChannels % 4 === 0;
}

/** Workgroups for each share of the sum. */
export function weightGradSimdTiles(geometry: ConvGeometry, tile: SimdTile): number {
  const rows = geometry.kernelSize[0] * geometry.kernelSize[1] * geometry.inputChannels;
  return Math.ceil(rows / tile.rows) * columnTiles(geometry, tile) * geometry.groups;
}

function columnTiles(geometry: ConvGeometry, tile: SimdTile): number {
  return Math.ceil(geometry.outputChannels / (4 * SIMD_LANES * tile.vectors));
}

export function convWeightGradSimd(
  options: Omit<ConvWeightGradOptions, "tile"> & { readonly tile: SimdTile },
): KernelSpec {
  const { x, dy, geometry: g, splits, tile } = options;
  const lines = linesOf(g);
  const rows = g.kernelSize[0] * g.kernelSize[1] * g.inputChannels;
  return defineKernel({
    name: `${options.name}.simd.${tile.rows}x${4 * SIMD_LANES * tile.vectors}.${x.dtype}_${dy.dtype}`,
    buffers: {
      x: { ref: x.ref, type: elementType(x.dtype, 4), access: "read" },
      dy: { ref: dy.ref, type: elementType(dy.dtype, 4), access: "read" },
      partial: { ref: options.partial, type: "vec4<f32>" },
    },
    uniforms: {
      lines,
      linesPerSplit: Math.ceil(lines / splits),
      inputY: g.inputSize[0],
      inputX: g.inputSize[1],
      outputY: g.outputSize[0],
      outputX: g.outputSize[1],
      kernelX: g.kernelSize[1],
      strideY: g.stride[0],
      strideX: g.stride[1],
      paddingY: { i32: g.padding[0] },
      paddingX: { i32: g.padding[1] },
      dilationY: g.dilation[0],
      dilationX: g.dilation[1],
      groups: g.groups,
      inputVectors: g.inputChannels / 4,
      rows,
      vectors: g.outputChannels / 4,
      columnTiles: columnTiles(g, tile),
    },
    workgroupSize: [SIMD_LANES],
    grid: [splits, Math.ceil(rows / tile.rows), columnTiles(g, tile) * g.groups],
    body: body(options),
  });
}

function body({ x, dy, tile }: { x: ConvWeightGradOptions["x"]; dy: ConvWeightGradOptions["dy"]; tile: SimdTile }) {
  const { rows: R, vectors: V } = tile;
  const loads = R / (4 * SIMD_LANES);
  return `
let row = wid.y * ${R}u;
let group = wid.z / u.columnTiles;
let vector = (wid.z % u.columnTiles) * ${SIMD_LANES * V}u + lix;
let pixel = u.groups * u.inputVectors;
let dyRow = u.groups * u.vectors;
${
    unroll(loads, (i) =>
      `let quad${i} = min(row / 4u + ${SIMD_LANES * i}u + lix, u.rows / 4u - 1u);
let tap${i} = quad${i} / u.inputVectors;
let channel${i} = group * u.inputVectors + quad${i} % u.inputVectors;
let moveY${i} = i32((tap${i} / u.kernelX) * u.dilationY) - u.paddingY;
let moveX${i} = i32((tap${i} % u.kernelX) * u.dilationX) - u.paddingX;`)
  }
${unroll(V, (v) => `let d${v} = group * u.vectors + min(vector + ${SIMD_LANES * v}u, u.vectors - 1u);`)}
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
      `    let q${q} = ${fromLane(`a${q >> 3}`, q & 7)};
${unroll2(4, V, (j, v) => `    sum${4 * q + j}_${v} += q${q}[${j}] * b${v};`)}`)
  }
  }
}
let first = (wid.x * u.rows + row) * dyRow + group * u.vectors;
${
    unroll(R, (r) =>
      `if (row + ${r}u < u.rows) {
${
        unroll(V, (v) => {
          const column = `vector + ${SIMD_LANES * v}u`;
          return `  if (${column} < u.vectors) { partial[first + ${r}u * dyRow + ${column}] = sum${r}_${v}; }`;
        })
      }
}`)
  }`;
}
