/**
 * Gradient of a convolution to its weights for GPUs as an implicit matrix product: rows are (ky, kx, input channel), columns
 * output channels, and k runs over the output's pixels, split into shares (`tiled_product.ts`). Writes the same partial
 * sums as `conv_weight_grad.ts`.
 *
 * @module
 */
import type { KernelSpec } from "../../runtime/device/kernel.ts";
import { linesOf } from "../conv_geometry.ts";
import { elementType, gather, load, store, vectorWidth } from "./access.ts";
import type { ConvWeightGradOptions } from "./conv_weight_grad.ts";
import { tiledProduct } from "./tiled_product.ts";
import { unroll } from "./unroll.ts";

export function convWeightGradTiled(options: Omit<ConvWeightGradOptions, "tile">): KernelSpec {
  const { x, dy, geometry: g, splits } = options;
  const width = vectorWidth(g.outputChannels);
  const rows = g.kernelSize[0] * g.kernelSize[1] * g.inputChannels;
  const pixels = linesOf(g) * g.outputSize[1];
  return tiledProduct({
    name: `${options.name}.${x.dtype}_${dy.dtype}${width === 4 ? "" : ".odd"}`,
    buffers: {
      x: { ref: x.ref, type: elementType(x.dtype, 1), access: "read" },
      dy: { ref: dy.ref, type: elementType(dy.dtype, width), access: "read" },
      partial: { ref: options.partial, type: "vec4<f32>" },
    },
    uniforms: {
      pixels,
      pixelsPerSplit: Math.ceil(pixels / splits),
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
