/**
 * Gradient of a convolution to its weights for GPUs as an implicit matrix product: rows are (ky, kx, input channel), columns
 * output channels, and k runs over the output's pixels, split into shares (`tiled_product.ts`). Writes the same partial
 * sums as `conv_weight_grad.ts`.
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
import { tiledProduct, tileExtent } from "./tiled_product.ts";
import { unroll } from "./unroll.ts";

export function tiledWeightGradPlan(problem: WeightGradProblem): KernelPlan {
  const { geometry } = problem;
  const tiles = (extent: number) => Math.ceil(extent / tileExtent(1));
  const splits = weightGradShares(problem, {
    tiles: tiles(weightRows(geometry)) * tiles(geometry.outputChannels) * geometry.groups,
    wanted: 512,
    most: Math.min(Math.ceil(pixelsOf(geometry) / 128), 128),
  });
  return weightGradPlan(problem, splits, kernel);
}

function kernel(options: WeightGradOptions): KernelSpec {
  const { x, dy, geometry: g, splits } = options;
  const width = vectorWidth(g.outputChannels);
  const rows = weightRows(g);
  const pixels = pixelsOf(g);
  return tiledProduct({
    name: `${options.name}.${x.dtype}_${dy.dtype}${width === 4 ? "" : ".odd"}`,
    buffers: weightGradBuffers(options, { x: 1, dy: width }),
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
    functions: `fn inputAt(image: u32, row: i32, column: i32, channel: u32) -> f32 {
  let inside = u32(row) < u.inputY && u32(column) < u.inputX;
  let at = ((image * u.inputY + u32(row)) * u.inputX + u32(column)) * u.groups * u.inputChannels;
  return select(0.0, ${load("x", "select(0u, at, inside) + channel", x.dtype, 1)}, inside);
}`,
    a: {
      along: "outer",
      setup: (i, outer) =>
        unroll(4, (j) =>
          `let row${i}_${j} = min(${outer} + ${j}u, u.rows - 1u);
let tap${i}_${j} = row${i}_${j} / u.inputChannels;
let channel${i}_${j} = group * u.inputChannels + row${i}_${j} % u.inputChannels;
let moveY${i}_${j} = i32((tap${i}_${j} / u.kernelX) * u.dilationY) - u.paddingY;
let moveX${i}_${j} = i32((tap${i}_${j} % u.kernelX) * u.dilationX) - u.paddingX;`),
      slab: (k) =>
        `    let line = ${k} / u.outputX;
    let image = line / u.outputY;
    let top = i32((line % u.outputY) * u.strideY);
    let left = i32((${k} % u.outputX) * u.strideX);`,
      load: (i) =>
        `vec4<f32>(${
          [0, 1, 2, 3].map((j) => `inputAt(image, top + moveY${i}_${j}, left + moveX${i}_${j}, channel${i}_${j})`).join(
            ", ",
          )
        })`,
    },
    b: {
      along: "outer",
      setup: (i, outer) =>
        width === 4
          ? `let d${i} = group * u.vectors + min(${outer} / 4u, u.vectors - 1u);`
          : unroll(4, (j) =>
            `let d${i}_${j} = group * u.outputChannels + min(${outer} + ${j}u, u.outputChannels - 1u);`),
      slab: () => "",
      load: (i, k) => {
        if (width === 4) return load("dy", `${k} * u.groups * u.vectors + d${i}`, dy.dtype, 4);
        const at = (j: number) => `${k} * u.groups * u.outputChannels + d${i}_${j}`;
        return gather("dy", [at(0), at(1), at(2), at(3)], dy.dtype);
      },
    },
    rowParts: 1,
    columnParts: 1,
    range: `let group = wid.z % u.groups;
let split = wid.z / u.groups;
let begin = split * u.pixelsPerSplit;
let end = min(begin + u.pixelsPerSplit, u.pixels);`,
    initial: () => "vec4<f32>()",
    store: (row, column, value) =>
      `if (${row} < u.rows && ${column} < u.vectors * 4u) { ${
        store("partial", `((split * u.rows + ${row}) * u.groups + group) * u.vectors + ${column} / 4u`, value, "f32", 4)
      } }`,
    rows,
    columns: g.outputChannels,
    depth: splits * g.groups,
  });
}

/** Pixels of the output, all images together. */
function pixelsOf(geometry: ConvGeometry): number {
  return linesOf(geometry) * geometry.outputSize[1];
}
