/**
 * Direct convolution in NHWC with subgroups, like `conv_simd.ts`, for neighbouring taps without a stride. A lane's
 * target pixels are a run of neighbours in one line, so each source pixel is read once for all taps of a kernel row
 * that see it. From tap to tap, it moves by one register.
 *
 * @module
 */
import { defineKernel, type KernelSpec, linearGrid } from "../../runtime/device/kernel.ts";
import { load, store } from "./access.ts";
import type { ConvAxis } from "./conv_axis.ts";
import {
  biasVectors,
  convBuffers,
  type ConvTile,
  type ConvTileOptions,
  extentUniforms,
  placeUniforms,
  targetPixel,
  type WeightAccess,
} from "./conv_kernel.ts";
import { weightAccess, type WeightOrder } from "./conv_simd.ts";
import { fromLane, simdName } from "./simd.ts";
import { forRows, sumRows } from "./store_tile.ts";
import { unroll, unroll2 } from "./unroll.ts";

/** Pixels per run. */
const PIXELS = 8;

/** Minimum number of taps of a kernel row that share a source pixel. */
const MIN_TAPS = 3;

/** Returns a tile of `most` target channels, or of eight or four if there are no more. */
export function runsTile(targetChannels: number, lanes: number, most: 8 | 16): ConvTile {
  const vectors = targetChannels <= 4 ? 1 : targetChannels <= 8 ? 2 : most / 4;
  return { lanes, pixels: PIXELS, vectors };
}

/** Returns true if neighbouring target pixels of an axis read neighbouring source pixels and can share the reads. */
export function runsFit({ stride, spacing, taps }: ConvAxis): boolean {
  return stride === 1 && Math.abs(spacing) === 1 && taps >= MIN_TAPS;
}

/** Returns the ratio of pixels in a line's runs to pixels in the line; the last run may be partly empty. */
export function wasteOfRuns({ count }: ConvAxis): number {
  return Math.ceil(count / PIXELS) * PIXELS / count;
}

/**
 * Returns true if the kernel can write target channels whose number is no multiple of four without padding: the tile has
 * all of them, so that the numbers of a run are neighbours, and lines and runs start at vectors of four.
 */
export function writesUnpadded(targetChannels: number, groups: number, { targetExtent, step }: ConvAxis): boolean {
  return groups === 1 && targetChannels <= 16 && step === 1 && targetExtent * targetChannels % 4 === 0;
}

/**
 * Returns the kernel. It reads source channels four at a time if their number is a multiple of four.
 *
 * @param unpadded true if the target's channels are not padded to a multiple of four
 */
export function convRuns(
  options: ConvTileOptions,
  order: WeightOrder,
  unpadded = false,
): KernelSpec {
  const width = options.sourceChannels % 4 === 0 ? 4 : 1;
  const { source, weight, target, y, x, tile, groups } = options;
  const vectors = Math.ceil(options.targetChannels / 4);
  const tiles = Math.ceil(vectors / tile.vectors);
  const runsX = Math.ceil(x.count / tile.pixels);
  const runs = options.batch * y.count * runsX;
  const workgroups = Math.ceil(runs / tile.lanes);
  const [gx, gy] = linearGrid(workgroups, 1, options.traits.maxWorkgroupsPerDimension);
  const types = [source, weight, target].map((buffer) => buffer.dtype).join("_");
  // Taps in the order of the pixels that they read
  const reversed = x.spacing < 0;
  return defineKernel({
    name: `${options.name}.${simdName("runs", tile.lanes)}.${tile.pixels}x${tile.vectors * 4}.${types}${
      width === 1 ? ".single" : ""
    }${unpadded ? `.unpadded${options.targetChannels}` : ""}`,
    buffers: convBuffers(options, { source: width, weight: 4, target: 4 }),
    uniforms: {
      workgroups,
      runs,
      runsX,
      ...extentUniforms(y, x),
      sourceRow: groups * options.sourceChannels / width,
      sourceVectors: options.sourceChannels / width,
      startY: { i32: y.start },
      startX: { i32: reversed ? x.start - (x.taps - 1) : x.start },
      strideY: y.stride,
      spacingY: { i32: y.spacing },
      tapsY: y.taps,
      tapsX: x.taps,
      firstTap: y.firstTap * options.kernelWidth + x.firstTap + (reversed ? (x.taps - 1) * x.tapStep : 0),
      tapStepY: y.tapStep * options.kernelWidth,
      tapStepX: { i32: reversed ? -x.tapStep : x.tapStep },
      tiles,
      vectors,
      row: groups * vectors,
      ...placeUniforms(y, x),
      targetChannels: options.targetChannels,
    },
    workgroupSize: [tile.lanes],
    grid: [gx, gy, groups * tiles],
    body: () => body(options, width, weightsOf(options, width, order), unpadded),
  });
}

function weightsOf(options: ConvTileOptions, width: 1 | 4, order: WeightOrder): WeightAccess {
  return width === 1 ? singleWeights(options) : weightAccess(options, order);
}

/** Returns access to the packed weights of one source channel; a lane loads four target channels of them. */
function singleWeights({ tile, weight }: ConvTileOptions): WeightAccess {
  const at = `(tap * u.sourceVectors + c) * u.row + weightAt`;
  return {
    setup: `let weightAt = group * u.vectors + min(vector + lix % ${tile.vectors}u, u.vectors - 1u);`,
    load: () => `let weights = ${load("weight", at, weight.dtype, 4)};`,
    value: (_j, v) => fromLane("weights", v),
  };
}

function body(options: ConvTileOptions, width: 1 | 4, weights: WeightAccess, unpadded: boolean): string {
  const { tile, source, bias } = options;
  const { pixels: P, vectors: V } = tile;
  const zero = width === 4 ? "vec4<f32>()" : "0.0";
  const part = (p: number, j: number) => width === 4 ? `a${p}[${j}]` : `a${p}`;
  const read = (name: string, x: string) => {
    const at = `select(0u, line + ${name} * u.sourceRow, ${name}Inside)`;
    return `let ${name} = ${x};
let ${name}Inside = ${name} < limit;
let ${name}Value = select(${zero}, ${load("source", at, source.dtype, width)}, ${name}Inside);`;
  };
  return `
let workgroup = wid.y * grid.x + wid.x;
if (workgroup >= u.workgroups) { return; }
let number = workgroup * ${tile.lanes}u + lix;
let run = min(number, u.runs - 1u);
let group = wid.z / u.tiles;
let vector = (wid.z % u.tiles) * ${V}u;
let targetChannel = group * u.targetChannels;
let x = (run % u.runsX) * ${P}u;
let y = run / u.runsX % u.countY;
let image = run / u.runsX / u.countY;
let sourceX = u32(i32(x) + u.startX);
let sourceY = i32(y * u.strideY) + u.startY;
${weights.setup}
${biasVectors(V, bias)}
${unroll2(P, V, (p, v) => `var sum${p}_${v} = bias${v};`)}
for (var ty = 0u; ty < u.tapsY; ty++) {
  let iy = u32(sourceY + i32(ty) * u.spacingY);
  let limit = select(0u, u.sourceX, iy < u.sourceY);
  let lineOfPixels = (image * u.sourceY + iy) * u.sourceX * u.sourceRow + group * u.sourceVectors;
  for (var c = 0u; c < u.sourceVectors; c++) {
    let line = lineOfPixels + c;
    var tap = u.firstTap + ty * u.tapStepY;
${unroll(P - 1, (p) => `${read(`first${p}`, `sourceX + ${p}u`)}\nvar a${p} = first${p}Value;`)}
    for (var tx = 0u; tx < u.tapsX; tx++) {
${read("last", `sourceX + ${P - 1}u + tx`)}
let a${P - 1} = lastValue;
${unroll(width, (j) => weights.load(j))}
${
    unroll(V, (v) =>
      `${unroll(width, (j) => `let w${j}_${v} = ${weights.value(j, v)};`)}
${unroll2(P, width, (p, j) => `sum${p}_${v} += ${part(p, j)} * w${j}_${v};`)}`)
  }
${unroll(P - 1, (p) => `a${p} = a${p + 1};`)}
      tap = u32(i32(tap) + u.tapStepX);
    }
  }
}
if (number >= u.runs) { return; }
${unpadded ? storeUnpadded(options) : storeVectors(options)}`;
}

function storeVectors({ tile, target, traits }: ConvTileOptions): string {
  return `let to = (${targetPixel("")}) * u.row +
  group * u.vectors + vector;
${
    forRows(traits, sumRows(tile.pixels, tile.vectors), (p, sums) =>
      `if (x + ${p} < u.countX) {
${
        unroll(tile.vectors, (v) =>
          `  if (vector + ${v}u < u.vectors) { ${
            store("result", `to + ${p} * u.stepX * u.row + ${v}u`, sums[v]!, target, 4)
          } }`)
      }
}`)
  }`;
}

/** Returns statements that write the numbers of a run as vectors of four neighbours. */
function storeUnpadded({ tile, target, targetChannels }: ConvTileOptions): string {
  const number = (i: number) => {
    const channel = i % targetChannels;
    return `sum${Math.floor(i / targetChannels)}_${channel >> 2}[${channel & 3}]`;
  };
  return `let to = (${targetPixel("")}) * ${targetChannels}u / 4u;
let numbers = (u.countX - x) * ${targetChannels}u;
${
    unroll(tile.pixels * targetChannels / 4, (q) => {
      const value = `vec4<f32>(${[0, 1, 2, 3].map((i) => number(4 * q + i)).join(", ")})`;
      return `if (${4 * q}u < numbers) { ${store("result", `to + ${q}u`, value, target, 4)} }`;
    })
  }`;
}
