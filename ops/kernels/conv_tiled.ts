/**
 * Convolution for GPUs as an implicit matrix product: rows are target pixels, columns target channels, and k runs over taps
 * and source channels (`tiled_product.ts`). Takes the same problem as `conv_direct.ts`.
 *
 * @module
 */
import type { KernelSpec } from "../../runtime/device/kernel.ts";
import { gather, load, store } from "./access.ts";
import {
  convBuffers,
  type ConvKernelOptions,
  extentUniforms,
  moveUniforms,
  placeUniforms,
  tapUniforms,
} from "./conv_kernel.ts";
import { type TiledFactor, tiledProduct } from "./tiled_product.ts";
import { unroll } from "./unroll.ts";

export function convTiled(options: ConvKernelOptions, parts: 1 | 2): KernelSpec {
  const { source, weight, bias, target, y, x, groups } = options;
  const vectors = Math.ceil(options.targetChannels / 4);
  const pixels = options.batch * y.count * x.count;
  return tiledProduct({
    name: `${options.name}.${source.dtype}_${weight.dtype}_${target.dtype}`,
    buffers: convBuffers(options, { source: 1, weight: 4, target: 4 }),
    uniforms: {
      pixels,
      ...extentUniforms(y, x),
      sourceRow: groups * options.sourceChannels,
      sourceChannels: options.sourceChannels,
      ...moveUniforms(y, x),
      tapsX: x.taps,
      terms: y.taps * x.taps * options.sourceChannels,
      ...tapUniforms(y, x, options.kernelWidth),
      vectors,
      row: groups * vectors,
      ...placeUniforms(y, x),
      targetChannels: options.targetChannels,
    },
    functions: `fn sourceAt(image: u32, y: i32, x: i32, channel: u32) -> f32 {
  let inside = u32(y) < u.sourceY && u32(x) < u.sourceX;
  let at = select(0u, ((image * u.sourceY + u32(y)) * u.sourceX + u32(x)) * u.sourceRow, inside) + channel;
  return select(0.0, ${load("source", "at", source.dtype, 1)}, inside);
}`,
    a: images(),
    b: {
      along: "outer",
      setup: (i, outer) => `let vector${i} = group * u.vectors + min(${outer} / 4u, u.vectors - 1u);`,
      slab: (k) =>
        `    let tapB = ${k} / u.sourceChannels;
    let weights = (u.firstTap + (tapB / u.tapsX) * u.tapStepY + (tapB % u.tapsX) * u.tapStepX) * u.sourceChannels +
      ${k} % u.sourceChannels;`,
      load: (i) => load("weight", `weights * u.row + vector${i}`, weight.dtype, 4),
    },
    rowParts: parts,
    columnParts: 1,
    range: `let group = wid.z;
let begin = 0u;
let end = u.terms;`,
    initial: (column) => {
      const at = (j: number) => `group * u.targetChannels + min(${column} + ${j}u, u.targetChannels - 1u)`;
      return bias === null ? "vec4<f32>()" : gather("bias", [at(0), at(1), at(2), at(3)], bias.dtype);
    },
    store: (row, column, value) =>
      `if (${row} < u.pixels && ${column} < u.vectors * 4u) {
  let line = ${row} / u.countX;
  let y = (line % u.countY) * u.stepY + u.originY;
  let x = (${row} % u.countX) * u.stepX + u.originX;
  let to = (((line / u.countY) * u.targetY + y) * u.targetX + x) * u.row + group * u.vectors + ${column} / 4u;
  ${store("result", "to", value, target.dtype, 4)}
}`,
    rows: pixels,
    columns: options.targetChannels,
    depth: groups,
  });
}

function images(): TiledFactor {
  return {
    along: "k",
    setup: (i, outer) =>
      unroll(4, (j) =>
        `let pixel${i}_${j} = min(${outer} + ${j}u, u.pixels - 1u);
let line${i}_${j} = pixel${i}_${j} / u.countX;
let image${i}_${j} = line${i}_${j} / u.countY;
let y${i}_${j} = i32((line${i}_${j} % u.countY) * u.strideY) + u.startY;
let x${i}_${j} = i32((pixel${i}_${j} % u.countX) * u.strideX) + u.startX;`),
    slab: (k) =>
      `    let channel = group * u.sourceChannels + ${k} % u.sourceChannels;
    let tap = ${k} / u.sourceChannels;
    let dy = i32(tap / u.tapsX) * u.spacingY;
    let dx = i32(tap % u.tapsX) * u.spacingX;`,
    load: (i) =>
      `vec4<f32>(${
        [0, 1, 2, 3].map((j) => `sourceAt(image${i}_${j}, y${i}_${j} + dy, x${i}_${j} + dx, channel)`).join(", ")
      })`,
  };
}
