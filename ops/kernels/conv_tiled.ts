/**
 * Convolution for GPUs as an implicit matrix product (`tiled_product.ts`): rows are target pixels, columns are target
 * channels, and k runs over taps and source channels. Takes the same problem as `conv_direct.ts`.
 *
 * @module
 */
import type { KernelSpec } from "../../runtime/device/kernel.ts";
import { gather, load, store, vectorWidth } from "./access.ts";
import {
  convBuffers,
  type ConvKernelOptions,
  extentUniforms,
  moveUniforms,
  placeUniforms,
  tapUniforms,
} from "./conv_kernel.ts";
import { type TiledFactor, tiledProduct, type TiledTile } from "./tiled_product.ts";

export function convTiled(options: ConvKernelOptions, tile: TiledTile): KernelSpec {
  const { source, weight, bias, target, y, x, groups } = options;
  const vectors = Math.ceil(options.targetChannels / 4);
  const pixels = options.batch * y.count * x.count;
  const width = vectorWidth(options.sourceChannels);
  return tiledProduct({
    name: `${options.name}.${source.dtype}_${weight.dtype}_${target.dtype}${width === 4 ? "" : ".odd"}`,
    buffers: convBuffers(options, { source: width, weight: 4, target: 4 }),
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
    a: width === 4 ? imageQuads(options) : images(options),
    b: weights(options, width === 4),
    tile,
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
  ${store("result", "to", value, target, 4)}
}`,
    rows: pixels,
    columns: options.targetChannels,
    depth: groups,
    traits: options.traits,
  });
}

/**
 * Returns source pixels as a factor whose quads are four channels seen through one tap; needs a multiple of four
 * channels.
 */
function imageQuads({ source, sourceChannels }: ConvKernelOptions): TiledFactor {
  const taps = tapWalk("A", sourceChannels, "offsetA");
  return {
    along: "k",
    bounded: true,
    setup: (i, outer, k) =>
      `${findRow(i, outer)}
let base${i} = u32(from${i}) * (u.sourceRow / 4u);
${
        i > 0 ? "" : `${taps.begin(k)}
var dyA = i32(tapYA) * u.spacingY;
var dxA = i32(tapXA) * u.spacingX;
var offsetA = u32(dyA * i32(u.sourceX) + dxA) * (u.sourceRow / 4u) + (group * u.sourceChannels + channelA) / 4u;
let nextTapA = u32(u.spacingX) * (u.sourceRow / 4u) - u.sourceChannels / 4u;
let nextRowA = u32(u.spacingY * i32(u.sourceX) - i32(u.tapsX) * u.spacingX) * (u.sourceRow / 4u);`
      }`,
    load: (i, k) =>
      `select(vec4<f32>(), ${load("source", `base${i} + offsetA`, source.dtype, 4)}, ${k} < end && ${
        sourcePixel(i, "", "A").inside
      })`,
    advance: (i, depth) =>
      i > 0 ? "" : taps.advance(depth, `${depth / 4}u`, "dxA += u.spacingX;", "dxA = 0;\n    dyA += u.spacingY;"),
  };
}

/** Returns source pixels with any number of channels as a factor that loads each number separately. */
function images({ source }: ConvKernelOptions): TiledFactor {
  return {
    along: "k",
    setup: findRow,
    slab: (i, k) =>
      i > 0 ? "" : [0, 1, 2, 3].map((j) =>
        `    let tap${j} = (${k} + ${j}u) / u.sourceChannels;
    let channel${j} = group * u.sourceChannels + (${k} + ${j}u) % u.sourceChannels;
    let dy${j} = i32(tap${j} / u.tapsX) * u.spacingY;
    let dx${j} = i32(tap${j} % u.tapsX) * u.spacingX;`
      ).join("\n"),
    load: (i) => {
      const numbers = [0, 1, 2, 3].map((j) => {
        const { inside, pixel } = sourcePixel(i, `dy${j} * i32(u.sourceX) + dx${j}`, j);
        const at = `select(0u, ${pixel} * u.sourceRow + channel${j}, ${inside})`;
        return `select(0.0, ${load("source", at, source.dtype, 1)}, ${inside})`;
      });
      return `vec4<f32>(${numbers.join(", ")})`;
    },
  };
}

/**
 * Returns WGSL for a row's target pixel: its first source pixel and that pixel's index, which may be outside the image.
 */
function findRow(i: number, row: string): string {
  return `let pixel${i} = min(${row}, u.pixels - 1u);
let line${i} = pixel${i} / u.countX;
let y${i} = i32((line${i} % u.countY) * u.strideY) + u.startY;
let x${i} = i32((pixel${i} % u.countX) * u.strideX) + u.startX;
let from${i} = (i32((line${i} / u.countY) * u.sourceY) + y${i}) * i32(u.sourceX) + x${i};`;
}

/** Returns WGSL for the source pixel that row `i` sees through a tap. */
function sourcePixel(i: number, shift: string, tap: number | "A") {
  const inside = `(u32(y${i} + dy${tap}) < u.sourceY && u32(x${i} + dx${tap}) < u.sourceX)`;
  return { inside, pixel: `u32(from${i} + ${shift})` };
}

/** Returns the packed weights, whose quads are four neighbouring target channels, as a factor. */
function weights({ weight, sourceChannels }: ConvKernelOptions, bounded: boolean): TiledFactor {
  const taps = (i: number) => tapWalk(`B${i}`, sourceChannels, `placeB${i}`);
  return {
    along: "outer",
    ...bounded ? { bounded } : {},
    setup: (i, outer, k) =>
      `let vector${i} = group * u.vectors + min(${outer} / 4u, u.vectors - 1u);
${taps(i).begin(k)}
var placeB${i} = ((u.firstTap + tapYB${i} * u.tapStepY + tapXB${i} * u.tapStepX) * u.sourceChannels + channelB${i}) *
  u.row + vector${i};
let nextTapB${i} = (u.tapStepX - 1u) * u.sourceChannels * u.row;
let nextRowB${i} = (u.tapStepY - u.tapsX * u.tapStepX) * u.sourceChannels * u.row;`,
    load: (i, k) => load("weight", `select(vector${i}, placeB${i}, ${k} < end)`, weight.dtype, 4),
    advance: (i, depth) => taps(i).advance(depth, `${depth}u * u.row`),
  };
}

/**
 * Returns WGSL for the tap and the source channel of k, in variables that end in `name`, and for a place in memory, which
 * moves from tap to tap and from row to row of taps by `nextTap` and `nextRow`. Along k it neither divides nor multiplies.
 *
 * @param place variable of the place
 */
function tapWalk(name: string, sourceChannels: number, place: string) {
  const [channel, tapX, tapY] = [`channel${name}`, `tapX${name}`, `tapY${name}`];
  return {
    begin: (k: string) =>
      `var ${channel} = ${k} % u.sourceChannels;
var ${tapX} = (${k} / u.sourceChannels) % u.tapsX;
let ${tapY} = (${k} / u.sourceChannels) / u.tapsX;`,
    advance: (depth: number, step: string, atTap = "", atRow = "") =>
      `${channel} += ${depth}u;
${place} += ${step};
${sourceChannels >= depth ? "if" : "while"} (${channel} >= u.sourceChannels) {
  ${channel} -= u.sourceChannels;
  ${place} += nextTap${name};
  ${atTap}
  ${tapX}++;
  if (${tapX} == u.tapsX) {
    ${tapX} = 0u;
    ${place} += nextRow${name};
    ${atRow}
  }
}`,
  };
}
