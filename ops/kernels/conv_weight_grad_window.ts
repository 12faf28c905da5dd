/**
 * Weight gradient of a convolution with few input channels, with subgroups. The taps of a kernel row and their channels
 * are neighbours in x, so a pixel of dy sees a window of contiguous numbers in each line. The lanes of a subgroup share
 * the windows: every lane loads a part (`simd.ts`), and span the output channels. A workgroup sums over its share
 * of the output's lines, for one kernel row, or for all of them if their windows are short.
 *
 * @module
 */
import type { FloatType } from "../../runtime/core/dtype.ts";
import { defineKernel, type KernelPlan, type KernelSpec } from "../../runtime/device/kernel.ts";
import { type ConvGeometry, linesOf } from "../conv_geometry.ts";
import {
  lineUniforms,
  type WeightGradOptions,
  weightGradPlan,
  type WeightGradProblem,
  weightGradShares,
  weightRows,
} from "./conv_weight_grad_plan.ts";
import { fromLane, SIMD_LANES } from "./simd.ts";
import { forRows } from "./store_tile.ts";
import { unroll, unroll2 } from "./unroll.ts";

/** Maximum numbers of a window, each with a register for every output channel of a lane. */
const MAX_ROWS = 32;
/** Neighbouring pixels of dy whose windows are loaded together if they overlap. */
const PIXELS = 4;

/** Part of the weight gradient that a workgroup computes. */
interface WindowTile {
  /** Kernel rows. */
  readonly kernelRows: number;
  /** Rows of the weight: (ky, kx, input channel). */
  readonly rows: number;
  /** Numbers of a window that a lane loads at once. */
  readonly width: 1 | 2;
  /** Neighbouring pixels of dy. */
  readonly pixels: number;
  /** Numbers from a pixel's window to the next one's, and numbers of all their windows in a line. */
  readonly step: number;
  readonly span: number;
  /** Output channels per lane. */
  readonly channels: 1 | 2 | 4;
}

export function weightGradWindowFits({ kernelSize, inputChannels, dilation, groups }: ConvGeometry): boolean {
  return groups === 1 && dilation[1] === 1 && kernelSize[1] * inputChannels <= MAX_ROWS;
}

function tileOf(geometry: ConvGeometry): WindowTile {
  const { kernelSize: [kernelY, kernelX], stride, inputChannels, outputChannels } = geometry;
  const kernelRows = weightRows(geometry) <= MAX_ROWS ? kernelY : 1;
  const channels = outputChannels <= SIMD_LANES || outputChannels % 2 === 1
    ? 1
    : outputChannels <= 2 * SIMD_LANES || outputChannels % 4 !== 0
    ? 2
    : 4;
  const step = stride[1] * inputChannels;
  const window = kernelX * inputChannels;
  const pixels = step < window ? PIXELS : 1;
  return {
    pixels,
    step,
    span: window + (pixels - 1) * step,
    kernelRows,
    rows: weightRows(geometry) / kernelY * kernelRows,
    width: inputChannels % 2 === 0 ? 2 : 1,
    channels,
  };
}

export function windowWeightGradPlan(problem: WeightGradProblem): KernelPlan {
  const { geometry } = problem;
  const tile = tileOf(geometry);
  const [kernelTiles, columnTiles] = tilesOf(geometry, tile);
  const splits = weightGradShares(problem, {
    tiles: kernelTiles * columnTiles,
    wanted: 64,
    most: linesOf(geometry),
  });
  return weightGradPlan(problem, splits, (options) => kernel(options, tile, kernelTiles, columnTiles));
}

/** Returns the numbers of tiles along the kernel's rows and along the output channels. */
function tilesOf({ kernelSize, outputChannels }: ConvGeometry, tile: WindowTile): [number, number] {
  return [kernelSize[0] / tile.kernelRows, Math.ceil(outputChannels / (SIMD_LANES * tile.channels))];
}

function kernel(options: WeightGradOptions, tile: WindowTile, kernelTiles: number, columnTiles: number): KernelSpec {
  const { x, dy, partial, geometry: g, splits } = options;
  const lines = linesOf(g);
  return defineKernel({
    name: [
      `${options.name}.window`,
      `${tile.kernelRows}x${tile.span}.${tile.step}`,
      `${tile.rows}x${SIMD_LANES * tile.channels}`,
      `${x.dtype}_${dy.dtype}`,
    ].join("."),
    buffers: {
      x: { ref: x.ref, type: typeOf(x.dtype, tile.width), access: "read" },
      dy: { ref: dy.ref, type: typeOf(dy.dtype, tile.channels), access: "read" },
      partial: { ref: partial, type: typeOf("f32", tile.channels) },
    },
    uniforms: {
      lines,
      linesPerSplit: Math.ceil(lines / splits),
      ...lineUniforms(g),
      strideY: g.stride[0],
      dilationY: g.dilation[0],
      line: g.inputSize[1] * g.inputChannels / tile.width,
      left: { i32: -g.padding[1] * g.inputChannels / tile.width },
      rows: weightRows(g),
      columns: g.outputChannels / tile.channels,
      partialColumns: Math.ceil(g.outputChannels / 4) * 4 / tile.channels,
    },
    workgroupSize: [SIMD_LANES],
    grid: [splits, kernelTiles, columnTiles],
    body: () => body(options, tile),
  });
}

function body({ x, dy, traits }: WeightGradOptions, tile: WindowTile): string {
  const { kernelRows, rows, width, channels, pixels, step, span } = tile;
  const units = kernelRows * span / width;
  const loads = Math.ceil(units / SIMD_LANES);
  const window = rows / kernelRows;
  /** Returns the number that pixel `p` sees in row `r` of the weight. */
  const value = (p: number, r: number) => {
    const at = Math.floor(r / window) * span + r % window + p * step;
    const unit = Math.floor(at / width);
    const loaded = `a${Math.floor(unit / SIMD_LANES)}${width === 1 ? "" : `[${at % width}]`}`;
    return fromLane(loaded, unit % SIMD_LANES);
  };
  const together = rows % 4 === 0 ? 4 : rows % 3 === 0 ? 3 : 1;
  const groups = Array.from(
    { length: rows / together },
    (_, g) => Array.from({ length: together }, (_, r) => `sum${g * together + r}`),
  );
  const wide = (dtype: FloatType, size: number, text: string) =>
    dtype === "f32" ? text : `${typeOf("f32", size)}(${text})`;
  const readX = (at: string) => wide(x.dtype, width, `x[${at}]`);
  const readDy = (at: string) => wide(dy.dtype, channels, `dy[${at}]`);
  const zero = (size: number) => `${typeOf("f32", size)}()`;
  return `
let firstKernelRow = wid.y * ${kernelRows}u;
let column = wid.z * ${SIMD_LANES}u + lix;
let dyColumn = min(column, u.columns - 1u);
${
    unroll(loads, (i) =>
      `let unit${i} = min(lix + ${i * SIMD_LANES}u, ${units - 1}u);
let moveY${i} = i32((firstKernelRow + unit${i} / ${span / width}u) * u.dilationY) + u.startY;
let place${i} = unit${i} % ${span / width}u;`)
  }
${unroll(rows, (r) => `var sum${r} = ${zero(channels)};`)}
let end = min((wid.x + 1u) * u.linesPerSplit, u.lines);
for (var line = wid.x * u.linesPerSplit; line < end; line++) {
  let image = line / u.outputY;
  let y = i32((line % u.outputY) * u.strideY);
${
    unroll(loads, (i) =>
      `  let y${i} = u32(y + moveY${i});
  let limit${i} = select(0u, u.line, y${i} < u.inputY);
  let line${i} = (image * u.inputY + y${i}) * u.line;`)
  }
  for (var ox = 0u; ox < u.outputX; ox += ${pixels}u) {
    let left = u32(i32(ox * ${step / width}u) + u.left);
${
    unroll(loads, (i) =>
      `    let at${i} = left + place${i};
    let in${i} = at${i} < limit${i};
    let a${i} = select(${zero(width)}, ${readX(`select(0u, line${i} + at${i}, in${i})`)}, in${i});`)
  }
${
    unroll(pixels, (p) => {
      const at = `(line * u.outputX + min(ox + ${p}u, u.outputX - 1u)) * u.columns + dyColumn`;
      const read = readDy(at);
      return `    let d${p} = ${p === 0 ? read : `select(${zero(channels)}, ${read}, ox + ${p}u < u.outputX)`};`;
    })
  }
${unroll2(rows, pixels, (r, p) => `    sum${r} += ${value(p, r)} * d${p};`)}
  }
}
if (column >= u.partialColumns) { return; }
let to = (wid.x * u.rows + firstKernelRow * ${window}u) * u.partialColumns + column;
${
    forRows(traits, groups, (group, sums) =>
      unroll(sums.length, (r) =>
        `partial[to + (${group} * ${sums.length}u + ${r}u) * u.partialColumns] = ${sums[r]};`))
  }`;
}

function typeOf(dtype: FloatType, size: number): string {
  return size === 1 ? dtype : `vec${size}<${dtype}>`;
}
