/**
 * Direct convolution in NHWC with subgroups. Lanes are neighbouring target pixels, each with a tile of `pixels` x
 * `vectors` times four target channels; they share the weights: every lane loads a part (`simd.ts`). Source
 * channels are read four at a time. Takes the same problem as `conv_direct.ts`, except that an input
 * gradient may read the weights as stored, along the source channels, whose number must be a multiple of four.
 *
 * @module
 */
import { defineKernel, type KernelSpec, linearGrid } from "../../runtime/device/kernel.ts";
import { load } from "./access.ts";
import {
  biasVectors,
  convBuffers,
  type ConvTile,
  type ConvTileOptions,
  extentUniforms,
  findPixel,
  findSource,
  moveUniforms,
  placeUniforms,
  storePixels,
  tapUniforms,
  type WeightAccess,
} from "./conv_kernel.ts";
import { fromLane, SIMD_LANES, simdName } from "./simd.ts";
import { unroll, unroll2 } from "./unroll.ts";

/**
 * Order of the weights that a kernel reads: `packed` is `[tap][source channel][groups][target channel]`, `stored` is
 * `[tap][target channel][groups][source channel]`, that of an input gradient's weights without packing.
 */
export type WeightOrder = "packed" | "stored";

export function convSimd(options: ConvTileOptions, order: WeightOrder): KernelSpec {
  const { source, weight, target, y, x, tile, groups } = options;
  const vectors = Math.ceil(options.targetChannels / 4);
  const tiles = Math.ceil(vectors / tile.vectors);
  const pixels = options.batch * y.count * x.count;
  const workgroups = Math.ceil(pixels / (tile.pixels * tile.lanes));
  const [gx, gy] = linearGrid(workgroups, 1, options.traits.maxWorkgroupsPerDimension);
  const types = [source, weight, target].map((buffer) => buffer.dtype).join("_");
  return defineKernel({
    name: `${options.name}.${simdName("simd", tile.lanes)}.${tile.pixels}x${tile.vectors * 4}.${types}`,
    buffers: convBuffers(options, { source: 4, weight: 4, target: 4 }),
    uniforms: {
      workgroups,
      pixels,
      ...extentUniforms(y, x),
      sourceRow: groups * options.sourceChannels / 4,
      sourceVectors: options.sourceChannels / 4,
      ...moveUniforms(y, x),
      tapsY: y.taps,
      tapsX: x.taps,
      ...tapUniforms(y, x, options.kernelWidth),
      tiles,
      vectors,
      row: groups * vectors,
      ...placeUniforms(y, x),
      targetChannels: options.targetChannels,
    },
    workgroupSize: [tile.lanes],
    grid: [gx, gy, groups * tiles],
    body: () => body(options, weightAccess(options, order)),
  });
}

export function weightAccess(options: ConvTileOptions, order: WeightOrder): WeightAccess {
  return order === "packed" ? packedWeights(options) : storedWeights(options);
}

/** A lane loads four target channels. */
function packedWeights({ tile, weight }: ConvTileOptions): WeightAccess {
  const V = tile.vectors;
  // Source channels whose weights arrive with one load
  const perLoad = Math.min(4, tile.lanes / V);
  return {
    setup:
      `let weightAt = (lix / ${V}u % ${perLoad}u) * u.row + group * u.vectors + min(vector + lix % ${V}u, u.vectors - 1u);`,
    load: (j) =>
      j > 0 ? "" : `let weights = (tap * u.sourceVectors + c) * 4u * u.row + weightAt;
${
        unroll(
          4 / perLoad,
          (i) => `let w${i * perLoad} = ${load("weight", `weights + ${i * perLoad}u * u.row`, weight.dtype, 4)};`,
        )
      }`,
    value: (j, v) => fromLane(`w${j - j % perLoad}`, (j % perLoad) * V + v),
  };
}

/** A lane loads four source channels. */
function storedWeights({ tile, weight }: ConvTileOptions): WeightAccess {
  const L = tile.lanes;
  const loads = Math.ceil(4 * tile.vectors / L);
  const channel = (i: number) => `min(vector * 4u + ${L * i}u + lix, u.targetChannels - 1u)`;
  return {
    setup: unroll(loads, (i) => `let weightAt${i} = ${channel(i)} * u.sourceRow + group * u.sourceVectors;`),
    load: (j) =>
      j > 0 ? "" : `let weights = tap * u.targetChannels * u.sourceRow + c;
${unroll(loads, (i) => `let w${i} = ${load("weight", `weights + weightAt${i}`, weight.dtype, 4)};`)}`,
    value: (j, v) => {
      const lane = (i: number) => fromLane(`w${Math.floor((4 * v + i) / L)}[${j}]`, (4 * v + i) % L);
      return `vec4<f32>(${[0, 1, 2, 3].map(lane).join(", ")})`;
    },
  };
}

function body(options: ConvTileOptions, weights: WeightAccess): string {
  const { tile, source, bias } = options;
  const { lanes: L, pixels: P, vectors: V } = tile;
  return `
let workgroup = wid.y * grid.x + wid.x;
if (workgroup >= u.workgroups) { return; }
let first = workgroup * ${P * L}u + lix;
let group = wid.z / u.tiles;
let vector = (wid.z % u.tiles) * ${V}u;
let targetChannel = group * u.targetChannels;
${weights.setup}
${unroll(P, (p) => findPixel(p, `first + ${p * L}u`))}
${biasVectors(V, bias)}
${unroll2(P, V, (p, v) => `var sum${p}_${v} = bias${v};`)}
for (var ty = 0u; ty < u.tapsY; ty++) {
  for (var tx = 0u; tx < u.tapsX; tx++) {
    let dy = i32(ty) * u.spacingY;
    let dx = i32(tx) * u.spacingX;
${
    unroll(P, (p) =>
      `${findSource(p)}
    let at${p} = select(0u, ((image${p} * u.sourceY + iy${p}) * u.sourceX + ix${p}) * u.sourceRow, inside${p}) +
      group * u.sourceVectors;`)
  }
    let tap = u.firstTap + ty * u.tapStepY + tx * u.tapStepX;
    for (var c = 0u; c < u.sourceVectors; c++) {
${
    unroll(P, (p) =>
      `      let a${p} = select(vec4<f32>(), ${load("source", `at${p} + c`, source.dtype, 4)}, inside${p});`)
  }
${unroll(4, (j) => weights.load(j))}
${
    unroll(V, (v) =>
      `${unroll(4, (j) => `      let w${j}_${v} = ${weights.value(j, v)};`)}
${unroll2(P, 4, (p, j) => `      sum${p}_${v} += a${p}[${j}] * w${j}_${v};`)}`)
  }
    }
  }
}
${storePixels(options, L)}`;
}

/**
 * Returns the tiles to try for a number of target channels per group, the default first, if registers are plentiful.
 */
export function simdConvTiles(targetChannels: number): ConvTile[] {
  const lanes = SIMD_LANES;
  if (targetChannels <= 4) return [{ lanes, pixels: 8, vectors: 1 }];
  if (targetChannels <= 8) return [{ lanes, pixels: 8, vectors: 2 }];
  if (targetChannels <= 16) return [{ lanes, pixels: 8, vectors: 4 }, { lanes, pixels: 4, vectors: 4 }];
  const tiles: ConvTile[] = [{ lanes, pixels: 4, vectors: 8 }, { lanes, pixels: 8, vectors: 4 }];
  // Few channels share the tile, and so the shader, of sixteen
  const surplus = (targetChannels - 1) % 32 < 16;
  return surplus || targetChannels <= 64 ? tiles.reverse() : tiles;
}

/** Returns tiles for GPUs, which use few registers, without tiles that are mostly surplus pixels. */
export function smallSimdConvTiles(targetChannels: number, pixels: number, lanes: number): ConvTile[] {
  const tiles: ConvTile[] = targetChannels <= 8
    ? [{ lanes, pixels: 8, vectors: targetChannels <= 4 ? 1 : 2 }]
    : [{ lanes, pixels: 4, vectors: 4 }, { lanes, pixels: 8, vectors: 2 }];
  return tiles.filter((tile) => pixels > lanes * tile.pixels / 2);
}
