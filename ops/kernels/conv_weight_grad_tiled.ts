/**
 * Weight gradient of a convolution for GPUs as an implicit matrix product (`tiled_product.ts`): rows are (ky, kx, input
 * channel), columns are output channels, and k runs over the output's pixels, split into shares. Writes the same
 * partial sums as `conv_weight_grad.ts`.
 *
 * @module
 */
import type { KernelPlan, KernelSpec } from "../../runtime/device/kernel.ts";
import { type ConvGeometry, linesOf } from "../conv_geometry.ts";
import { gather, load, store, vectorWidth } from "./access.ts";
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
import {
  type TiledFactor,
  tiledProduct,
  type TiledTile,
  tiledTiles,
  tilesOf,
  WANTED_WORKGROUPS,
} from "./tiled_product.ts";
import { unroll } from "./unroll.ts";

/** Minimum output pixels per share; with fewer, adding the shares costs more than the extra workgroups gain. */
const MIN_PIXELS = 128;

/** Returns a function per tile that generates its plan, the default first. */
export function tiledWeightGradPlans(problem: WeightGradProblem): (() => KernelPlan)[] {
  const { geometry, traits } = problem;
  const { groups, outputChannels } = geometry;
  const rows = weightRows(geometry);
  const most = Math.min(Math.ceil(pixelsOf(geometry) / MIN_PIXELS), 128);
  return tiledTiles(rows, outputChannels, most * groups, traits).map((tile) => () => {
    const tiles = tilesOf(tile, rows, outputChannels) * groups;
    const splits = weightGradShares(problem, { tiles, wanted: 2 * WANTED_WORKGROUPS, most });
    return weightGradPlan(problem, splits, (options) => kernel(options, tile));
  });
}

function kernel(options: WeightGradOptions, tile: TiledTile): KernelSpec {
  const { x, dy, geometry: g, splits } = options;
  const [xWidth, dyWidth] = [vectorWidth(g.inputChannels), vectorWidth(g.outputChannels)];
  const rows = weightRows(g);
  const pixels = pixelsOf(g);
  return tiledProduct({
    name: `${options.name}.${x.dtype}_${dy.dtype}.v${xWidth}${dyWidth}`,
    buffers: weightGradBuffers(options, { x: xWidth, dy: dyWidth }),
    uniforms: {
      pixels,
      pixelsPerSplit: Math.ceil(pixels / splits),
      ...imageUniforms(g),
      ...windowUniforms(g),
      groups: g.groups,
      inputChannels: g.inputChannels,
      outputChannels: g.outputChannels,
      vectors: Math.ceil(g.outputChannels / 4),
      rows,
    },
    a: images(options, xWidth),
    b: gradients(options, dyWidth),
    tile,
    range: `let group = wid.z % u.groups;
let split = wid.z / u.groups;
let begin = split * u.pixelsPerSplit;
let end = min(begin + u.pixelsPerSplit, u.pixels);`,
    initial: () => "vec4<f32>()",
    store: (row, column, value) =>
      `if (${row} < u.rows && ${column} < u.vectors * 4u) { ${
        store("partial", `((split * u.rows + ${row}) * u.groups + group) * u.vectors + ${column} / 4u`, value, {
          dtype: "f32",
        }, 4)
      } }`,
    rows,
    columns: g.outputChannels,
    depth: splits * g.groups,
    traits: options.traits,
  });
}

/** Returns x as a factor: its rows are taps and input channels, its columns output pixels. */
function images({ x }: WeightGradOptions, width: 1 | 4): TiledFactor {
  // Four rows are four channels of one tap if the number of channels is a multiple of four
  const taps = width === 4 ? [0] : [0, 1, 2, 3];
  return {
    along: "outer",
    setup: (i, outer, k) =>
      `${unroll(taps.length, (j) => findTap(`${i}_${j}`, `${outer} + ${j}u`, width))}
var left${i} = ${k} % u.outputX;
var top${i} = (${k} / u.outputX) % u.outputY;
var image${i} = (${k} / u.outputX) / u.outputY;`,
    load: (i, k) => {
      const numbers = taps.map((j) => {
        const [y, x_] = [`(i32(top${i} * u.strideY) + moveY${i}_${j})`, `(i32(left${i} * u.strideX) + moveX${i}_${j})`];
        const inside = `(u32${y} < u.inputY && u32${x_} < u.inputX && ${k} < end)`;
        const pixel = `((image${i} * u.inputY + u32${y}) * u.inputX + u32${x_})`;
        const at = `select(0u, ${pixel} * (u.groups * u.inputChannels / ${width}u), ${inside}) + channel${i}_${j}`;
        return `select(${width === 4 ? "vec4<f32>()" : "0.0"}, ${load("x", at, x.dtype, width)}, ${inside})`;
      });
      return width === 4 ? numbers[0]! : `vec4<f32>(${numbers.join(", ")})`;
    },
    advance: (i, depth) =>
      `left${i} += ${depth}u;
if (left${i} >= u.outputX) {
  top${i} += left${i} / u.outputX;
  left${i} %= u.outputX;
  if (top${i} >= u.outputY) {
    image${i} += top${i} / u.outputY;
    top${i} %= u.outputY;
  }
}`,
  };
}

/** Returns WGSL for a row's tap and its channel in units of `width`. */
function findTap(name: string, row: string, width: 1 | 4): string {
  return `let row${name} = min(${row}, u.rows - 1u);
let tap${name} = row${name} / u.inputChannels;
let channel${name} = (group * u.inputChannels + row${name} % u.inputChannels) / ${width}u;
let moveY${name} = i32((tap${name} / u.kernelX) * u.dilationY) - u.paddingY;
let moveX${name} = i32((tap${name} % u.kernelX) * u.dilationX) - u.paddingX;`;
}

/** Returns dy as a factor: its rows are output pixels, its columns output channels. */
function gradients({ dy }: WeightGradOptions, width: 1 | 4): TiledFactor {
  const line = (k: string) => `min(${k}, u.pixels - 1u) * u.groups`;
  return {
    along: "outer",
    setup: (i, outer) =>
      width === 4
        ? `let d${i} = group * u.vectors + min(${outer} / 4u, u.vectors - 1u);`
        : unroll(4, (j) => `let d${i}_${j} = group * u.outputChannels + min(${outer} + ${j}u, u.outputChannels - 1u);`),
    load: (i, k) => {
      if (width === 4) return load("dy", `${line(k)} * u.vectors + d${i}`, dy.dtype, 4);
      const at = (j: number) => `${line(k)} * u.outputChannels + d${i}_${j}`;
      return gather("dy", [at(0), at(1), at(2), at(3)], dy.dtype);
    },
  };
}

/** Returns the number of output pixels over all images. */
function pixelsOf(geometry: ConvGeometry): number {
  return linesOf(geometry) * geometry.outputSize[1];
}
