/**
 * Direct convolution in NHWC or, with `planes`, in NCHW: an implicit matrix product. Every invocation keeps a tile of
 * `pixels` neighbouring target pixels x `vectors` times four target channels in registers and walks over taps and
 * source channels, one at a time. The kernel uses neither workgroup memory nor barriers, which are slow on software
 * adapters. Shapes come from uniforms, so one pipeline serves all layers with the same tile, element types and
 * alignment.
 *
 * The forward pass and the input gradient are the same kernel with different axes (`conv_axis.ts`) and weights
 * (`pack_weights.ts`).
 *
 * @module
 */
import { defineKernel, type KernelSpec, linearGrid } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { type FloatBuffer, load, store } from "./access.ts";
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
} from "./conv_kernel.ts";
import { unroll, unroll2 } from "./unroll.ts";

export function convDirect(options: ConvTileOptions): KernelSpec {
  const { source, weight, target, y, x, tile, groups } = options;
  const vectors = Math.ceil(options.targetChannels / 4);
  const tiles = Math.ceil(vectors / tile.vectors);
  const pixels = options.batch * y.count * x.count;
  const [gx, gy] = linearGrid(Math.ceil(pixels / tile.pixels), tile.lanes, options.traits.maxWorkgroupsPerDimension);
  const types = [source, weight, target].map((buffer) => buffer.dtype).join("_");
  return defineKernel({
    name: `${options.name}.${tile.pixels}x${tile.vectors * 4}.${types}${options.planes ? ".planes" : ""}`,
    buffers: convBuffers(options, { source: 1, weight: 4, target: options.planes ? 1 : 4 }),
    uniforms: {
      pixels,
      ...extentUniforms(y, x),
      sourceRow: groups * options.sourceChannels,
      sourceChannels: options.sourceChannels,
      ...moveUniforms(y, x),
      tapsY: y.taps,
      tapsX: x.taps,
      ...tapUniforms(y, x, options.kernelWidth),
      tiles,
      vectors,
      row: groups * vectors,
      ...placeUniforms(y, x),
      targetChannels: options.targetChannels,
      targetRow: groups * options.targetChannels,
    },
    workgroupSize: [tile.lanes],
    grid: [gx, gy, groups * tiles],
    body: () => body(options),
  });
}

function body(options: ConvTileOptions): string {
  const { tile, source, weight, bias, target, planes } = options;
  const { lanes, pixels: P, vectors: V } = tile;
  return `
let first = ((wid.y * grid.x + wid.x) * ${lanes}u + lix) * ${P}u;
if (first >= u.pixels) { return; }
let group = wid.z / u.tiles;
let vector = (wid.z % u.tiles) * ${V}u;
let sourceChannel = group * u.sourceChannels;
let targetChannel = group * u.targetChannels;
${planes ? "let plane = u.sourceY * u.sourceX;" : ""}
${unroll(V, (v) => `let v${v} = min(vector + ${v}u, u.vectors - 1u);`)}
${unroll(P, (p) => findPixel(p, `first + ${p}u`))}
${biasVectors(V, bias)}
${unroll2(P, V, (p, v) => `var sum${p}_${v} = bias${v};`)}
for (var ty = 0u; ty < u.tapsY; ty++) {
  for (var tx = 0u; tx < u.tapsX; tx++) {
    let dy = i32(ty) * u.spacingY;
    let dx = i32(tx) * u.spacingX;
${
    unroll(P, (p) =>
      `${findSource(p)}
    let at${p} = ${
        planes
          ? `(image${p} * u.sourceRow + sourceChannel) * plane + select(0u, iy${p} * u.sourceX + ix${p}, inside${p})`
          : `select(0u, ((image${p} * u.sourceY + iy${p}) * u.sourceX + ix${p}) * u.sourceRow, inside${p}) + sourceChannel`
      };`)
  }
    let tap = u.firstTap + ty * u.tapStepY + tx * u.tapStepX;
    let weights = tap * u.sourceChannels * u.row + group * u.vectors;
    for (var c = 0u; c < u.sourceChannels; c++) {
      let at = weights + c * u.row;
${
    unroll(P, (p) =>
      `      let a${p} = select(0.0, ${
        load("source", `at${p} + ${planes ? "c * plane" : "c"}`, source.dtype, 1)
      }, inside${p});`)
  }
${unroll(V, (v) => `      let w${v} = ${load("weight", `at + v${v}`, weight.dtype, 4)};`)}
${unroll2(P, V, (p, v) => `      sum${p}_${v} += a${p} * w${v};`)}
    }
  }
}
${planes ? storePlanes(tile, target) : storePixels(options, 1)}`;
}

function storePlanes({ pixels, vectors }: ConvTile, target: FloatBuffer): string {
  return `let targetPlane = u.targetY * u.targetX;
${
    unroll(pixels, (p) =>
      `if (first + ${p}u < u.pixels) {
  let to = (image${p} * u.targetRow + targetChannel + vector * 4u) * targetPlane +
    (y${p} * u.stepY + u.originY) * u.targetX + x${p} * u.stepX + u.originX;
${
        unroll2(vectors * 4, 1, (j) =>
          `  if (vector * 4u + ${j}u < u.targetChannels) { ${
            store("result", `to + ${j}u * targetPlane`, `sum${p}_${j >> 2}[${j & 3}]`, target, 1)
          } }`)
      }
}`)
  }`;
}

/**
 * Returns the tiles to try for a number of target channels per group, the default first. A software adapter is fastest
 * with 32 to 64 vectors of registers per invocation and workgroups of its native eight lanes, a GPU with many
 * invocations and few registers.
 */
export function convTiles(targetChannels: number, traits: DeviceTraits): ConvTile[] {
  if (traits.class === "gpu") {
    const vectors = targetChannels > 4 ? 2 : 1;
    return [{ lanes: 64, pixels: 4, vectors }, { lanes: 64, pixels: 2, vectors }];
  }
  if (targetChannels <= 4) return [{ lanes: 8, pixels: 16, vectors: 1 }];
  if (targetChannels <= 8) return [{ lanes: 8, pixels: 16, vectors: 2 }];
  return [{ lanes: 8, pixels: 16, vectors: 4 }, { lanes: 8, pixels: 8, vectors: 4 }];
}
