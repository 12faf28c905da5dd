/**
 * Weight gradient of a convolution in NHWC or, with `planes`, in NCHW. With rows r = (ky, kx, input channel) of the
 * weight,
 *
 *     dW[r][out] = sum over images and output pixels of x[pixel moved by (ky, kx)][channel of r] dy[pixel][out]
 *
 * An invocation keeps a tile of rows x output channels in registers and sums over its share of the output's lines;
 * `reduce_partials.ts` adds the shares in a fixed order. The kernel uses no workgroup memory, barriers or atomics.
 *
 * There are two ways to read x. With `channels`, all rows of a tile are channels of one tap, which are read four at a
 * time, and lines are clipped to the image. With `rows`, each row of the tile has its own tap (few or odd input
 * channels).
 *
 * @module
 */
import type { FloatType } from "../../runtime/core/dtype.ts";
import { defineKernel, type KernelPlan, type KernelSpec } from "../../runtime/device/kernel.ts";
import { type ConvGeometry, linesOf } from "../conv_geometry.ts";
import { gather, load, vectorWidth } from "./access.ts";
import {
  imageUniforms,
  leastShares,
  weightGradBuffers,
  type WeightGradOptions,
  weightGradPlan,
  type WeightGradProblem,
  weightGradShares,
  weightRows,
} from "./conv_weight_grad_plan.ts";
import { forRows, sumRows } from "./store_tile.ts";
import { unroll, unroll2 } from "./unroll.ts";

export interface WeightGradTile {
  /** Invocations per workgroup, each with its own share of the lines. */
  readonly lanes: number;
  /** Rows of the weight, a multiple of four. */
  readonly rows: number;
  /** Vectors of four output channels. */
  readonly vectors: number;
  readonly access: "channels" | "rows";
}

/** Returns true if a tile of `rows` is within one tap and can be read in vectors. */
export function sharesTap(geometry: ConvGeometry, rows: number): boolean {
  return geometry.inputChannels % rows === 0;
}

/** Returns the numbers of tiles along the rows of the weight and along the output channels of a group. */
function tilesOf(geometry: ConvGeometry, tile: WeightGradTile): [number, number] {
  return [Math.ceil(weightRows(geometry) / tile.rows), Math.ceil(geometry.outputChannels / (4 * tile.vectors))];
}

export function registerWeightGradPlan(problem: WeightGradProblem, tile: WeightGradTile): KernelPlan {
  const { geometry } = problem;
  const [rowTiles, columnTiles] = tilesOf(geometry, tile);
  const splits = weightGradShares(problem, {
    tiles: rowTiles * columnTiles * geometry.groups,
    wanted: 128 * tile.lanes,
    most: Math.min(linesOf(geometry), Math.max(16 * tile.lanes, leastShares(geometry, problem.traits))),
  });
  return weightGradPlan(problem, splits, (options) => kernel(options, tile));
}

function kernel(options: WeightGradOptions, tile: WeightGradTile): KernelSpec {
  const { x, dy, geometry: g, splits } = options;
  const dyWidth = options.planes ? 1 : vectorWidth(g.outputChannels);
  const xWidth = tile.access === "channels" ? 4 : 1;
  const vectors = Math.ceil(g.outputChannels / 4);
  const [rowTiles, columnTiles] = tilesOf(g, tile);
  const lines = linesOf(g);
  return defineKernel({
    name: `${options.name}.${tile.access}.${tile.rows}x${tile.vectors * 4}.${x.dtype}_${dy.dtype}` +
      (options.planes ? ".planes" : dyWidth === 4 ? "" : ".odd"),
    buffers: weightGradBuffers(options, { x: xWidth, dy: dyWidth }),
    uniforms: {
      splits,
      lines,
      linesPerSplit: Math.ceil(lines / splits),
      ...imageUniforms(g),
      kernelX: g.kernelSize[1],
      strideY: g.stride[0],
      strideX: g.stride[1],
      paddingY: g.padding[0],
      paddingX: g.padding[1],
      dilationY: g.dilation[0],
      dilationX: g.dilation[1],
      groups: g.groups,
      inputChannels: g.inputChannels,
      outputChannels: g.outputChannels,
      rows: weightRows(g),
      vectors,
      columnTiles,
    },
    workgroupSize: [tile.lanes],
    grid: [Math.ceil(splits / tile.lanes), rowTiles, columnTiles * g.groups],
    body: () => body(options, tile, dyWidth),
  });
}

function body({ x, dy, planes, traits }: WeightGradOptions, tile: WeightGradTile, dyWidth: 1 | 4): string {
  const { rows: R, vectors: V } = tile;
  return `
let split = wid.x * ${tile.lanes}u + lix;
if (split >= u.splits) { return; }
let row = wid.y * ${R}u;
let group = wid.z / u.columnTiles;
let vector = (wid.z % u.columnTiles) * ${V}u;
let dyRow = u.groups * u.outputChannels;
${columnIndices(V, dyWidth, planes)}
${unroll2(R, V, (r, v) => `var sum${r}_${v} = vec4<f32>();`)}
let end = min((split + 1u) * u.linesPerSplit, u.lines);
${
    tile.access === "channels"
      ? sumOverChannels(R, V, x.dtype, dy.dtype, dyWidth)
      : sumOverRows(R, V, x.dtype, dy.dtype, dyWidth, planes)
  }
let weight = (split * u.rows + row) * u.groups * u.vectors + group * u.vectors + vector;
let step = u.groups * u.vectors;
${
    forRows(traits, sumRows(R, V), (r, sums) =>
      `if (row + ${r} < u.rows) {
${unroll(V, (v) => `  if (vector + ${v}u < u.vectors) { partial[weight + ${r} * step + ${v}u] = ${sums[v]}; }`)}
}`)
  }`;
}

/** Returns WGSL for the indices of a tile's columns in a pixel of dy; past the end, the last column repeats. */
function columnIndices(V: number, width: 1 | 4, planes: boolean): string {
  if (width === 4) {
    return unroll(V, (v) => `let d${v} = group * u.vectors + min(vector + ${v}u, u.vectors - 1u);`);
  }
  return unroll(
    4 * V,
    (c) =>
      `let d${c} = (group * u.outputChannels + min(vector * 4u + ${c}u, u.outputChannels - 1u))${
        planes ? " * u.outputY * u.outputX" : ""
      };`,
  );
}

function loadColumns(V: number, dtype: FloatType, width: 1 | 4): string {
  return unroll(V, (v) => {
    if (width === 4) return `let b${v} = ${load("dy", `base + d${v}`, dtype, 4)};`;
    const at = (j: number) => `base + d${v * 4 + j}`;
    return `let b${v} = ${gather("dy", [at(0), at(1), at(2), at(3)], dtype)};`;
  });
}

function sumOverChannels(R: number, V: number, xType: FloatType, dyType: FloatType, dyWidth: 1 | 4): string {
  return `
let tap = row / u.inputChannels;
let pixel = u.groups * u.inputChannels / 4u;
let channel = (group * u.inputChannels + row % u.inputChannels) / 4u;
let moveY = i32((tap / u.kernelX) * u.dilationY) - i32(u.paddingY);
let moveX = i32((tap % u.kernelX) * u.dilationX) - i32(u.paddingX);
let firstX = u32(max(0, -moveX) + i32(u.strideX) - 1) / u.strideX;
let endX = min(u.outputX, u32(max(0, i32(u.inputX) - moveX) + i32(u.strideX) - 1) / u.strideX);
for (var line = split * u.linesPerSplit; line < end; line++) {
  let image = line / u.outputY;
  let y = u32(i32((line % u.outputY) * u.strideY) + moveY);
  if (y >= u.inputY) { continue; }
  let xLine = i32((image * u.inputY + y) * u.inputX) + moveX;
  for (var ox = firstX; ox < endX; ox++) {
    let at = u32(xLine + i32(ox * u.strideX)) * pixel + channel;
    let base = (line * u.outputX + ox) * dyRow${dyWidth === 4 ? " / 4u" : ""};
${unroll(R / 4, (r) => `let a${r} = ${load("x", `at + ${r}u`, xType, 4)};`)}
${loadColumns(V, dyType, dyWidth)}
${unroll2(R, V, (r, v) => `sum${r}_${v} += a${r >> 2}[${r & 3}] * b${v};`)}
  }
}`;
}

function sumOverRows(
  R: number,
  V: number,
  xType: FloatType,
  dyType: FloatType,
  dyWidth: 1 | 4,
  planes: boolean,
): string {
  const place = (r: number) =>
    planes ? `(at${r} + y${r}) * u.inputX + x${r}` : `(at${r} + x${r}) * pixel + channel${r}`;
  return `
let pixel = u.groups * u.inputChannels;
${
    unroll(R, (r) =>
      `let row${r} = min(row + ${r}u, u.rows - 1u);
let tap${r} = row${r} / u.inputChannels;
let channel${r} = group * u.inputChannels + row${r} % u.inputChannels;
let moveY${r} = (tap${r} / u.kernelX) * u.dilationY - u.paddingY;
let moveX${r} = (tap${r} % u.kernelX) * u.dilationX - u.paddingX;`)
  }
for (var line = split * u.linesPerSplit; line < end; line++) {
  let image = line / u.outputY;
  let y = (line % u.outputY) * u.strideY;
${
    unroll(R, (r) =>
      `  let y${r} = y + moveY${r};
  let limit${r} = select(0u, u.inputX, y${r} < u.inputY);
  let at${r} = ${planes ? `(image * pixel + channel${r}) * u.inputY` : `(image * u.inputY + y${r}) * u.inputX`};`)
  }
  for (var ox = 0u; ox < u.outputX; ox++) {
    let base = ${
    planes
      ? "(image * dyRow * u.outputY + line % u.outputY) * u.outputX + ox"
      : `(line * u.outputX + ox) * dyRow${dyWidth === 4 ? " / 4u" : ""}`
  };
    let left = ox * u.strideX;
${
    unroll(R, (r) =>
      `    let x${r} = left + moveX${r};
    let in${r} = x${r} < limit${r};
    let a${r} = select(0.0, ${load("x", `select(0u, ${place(r)}, in${r})`, xType, 1)}, in${r});`)
  }
${loadColumns(V, dyType, dyWidth)}
${unroll2(R, V, (r, v) => `sum${r}_${v} += a${r} * b${v};`)}
  }
}`;
}
