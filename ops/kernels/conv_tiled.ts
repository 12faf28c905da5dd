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
    b: weights(options),
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
function imageQuads({ source }: ConvKernelOptions): TiledFactor {
  const taps = tapWalk("A");
  return {
    along: "k",
    setup: (i, outer, k) => `${findRow(i, outer)}\n${i === 0 ? taps.begin(k) : ""}`,
    slab: (i) =>
      i > 0 ? "" : `    let dy = i32(tapYA) * u.spacingY;
    let dx = i32(tapXA) * u.spacingX;
    let shift = dy * i32(u.sourceX) + dx;
    let quad = (group * u.sourceChannels + channelA) / 4u;`,
    load: (i) => {
      const { inside, pixel } = sourcePixel(i, "shift");
      return `select(vec4<f32>(), ${
        load("source", `select(0u, ${pixel} * (u.sourceRow / 4u) + quad, ${inside})`, source.dtype, 4)
      }, ${inside})`;
    },
    advance: (i, depth) => i > 0 ? "" : taps.advance(depth),
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
function sourcePixel(i: number, shift: string, tap: number | "" = "") {
  const inside = `(u32(y${i} + dy${tap}) < u.sourceY && u32(x${i} + dx${tap}) < u.sourceX)`;
  return { inside, pixel: `u32(from${i} + ${shift})` };
}

/** Returns the packed weights, whose quads are four neighbouring target channels, as a factor. */
function weights({ weight }: ConvKernelOptions): TiledFactor {
  const taps = (i: number) => tapWalk(`B${i}`);
  return {
    along: "outer",
    setup: (i, outer, k) =>
      `let vector${i} = group * u.vectors + min(${outer} / 4u, u.vectors - 1u);\n${taps(i).begin(k)}`,
    load: (i, k) => {
      const tap = `u.firstTap + tapYB${i} * u.tapStepY + tapXB${i} * u.tapStepX`;
      const row = `select(0u, (${tap}) * u.sourceChannels + channelB${i}, ${k} < end)`;
      return load("weight", `${row} * u.row + vector${i}`, weight.dtype, 4);
    },
    advance: (i, depth) => taps(i).advance(depth),
  };
}

/**
 * Returns WGSL for the tap and the source channel of k, in variables that end in `name`. It divides only at a new tap.
 */
function tapWalk(name: string) {
  const [channel, tapX, tapY] = [`channel${name}`, `tapX${name}`, `tapY${name}`];
  return {
    begin: (k: string) =>
      `var ${channel} = ${k} % u.sourceChannels;
var ${tapX} = (${k} / u.sourceChannels) % u.tapsX;
var ${tapY} = (${k} / u.sourceChannels) / u.tapsX;`,
    advance: (depth: number) =>
      `${channel} += ${depth}u;
if (${channel} >= u.sourceChannels) {
  ${tapX} += ${channel} / u.sourceChannels;
  ${channel} %= u.sourceChannels;
  ${tapY} += ${tapX} / u.tapsX;
  ${tapX} %= u.tapsX;
}`,
  };
}
