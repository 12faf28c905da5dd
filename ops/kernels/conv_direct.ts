/**
 * Direct convolution in NHWC or, with `planes`, in NCHW: an implicit matrix product in which every invocation keeps a tile of `pixels` neighbouring
 * target pixels x `vectors` times four target channels in registers and walks over taps and source channels, one at a time.
 * Neither workgroup memory nor barriers: what software adapters want (PLATFORM.md, Kernels). Shapes come from uniforms, so
 * one pipeline serves all layers with the same tile, element types and alignment.
 *
 * Forward pass and gradient to the input are the same kernel with other axes (`conv_axis.ts`) and weights
 * (`pack_weights.ts`).
 *
 * @module
 */
import type { FloatType } from "../../runtime/core/dtype.ts";
import { defineKernel, type KernelSpec } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { elementType, gather, load, store } from "./access.ts";
import type { ConvAxis } from "./conv_axis.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { foldedGrid } from "./grid.ts";
import { unroll, unroll2 } from "./unroll.ts";

export interface ConvTile {
  /** Invocations of a workgroup. */
  readonly lanes: number;
  /** Target pixels of an invocation. */
  readonly pixels: number;
  /** Groups of four target channels of an invocation. */
  readonly vectors: number;
}

export interface ConvDirectOptions {
  readonly name: string;
  /** `[batch][y][x][groups * sourceChannels]` */
  readonly source: FloatBuffer;
  /** `[tap][sourceChannels][groups][targetChannels]`, `targetChannels` padded to a multiple of four. */
  readonly weight: FloatBuffer;
  /** `[groups * targetChannels]` */
  readonly bias: FloatBuffer | null;
  /** `[batch][y][x][groups][targetChannels]`, `targetChannels` padded to a multiple of four; not padded in planes. */
  readonly target: FloatBuffer;
  /** Source and target are `[batch][channels][y][x]`. */
  readonly planes: boolean;
  readonly batch: number;
  readonly groups: number;
  /** Source channels of a group. */
  readonly sourceChannels: number;
  /** Target channels of a group. */
  readonly targetChannels: number;
  readonly y: ConvAxis;
  readonly x: ConvAxis;
  /** Taps of a row of the weight. */
  readonly kernelWidth: number;
  readonly tile: ConvTile;
  readonly traits: DeviceTraits;
}

export function convDirect(options: ConvDirectOptions): KernelSpec {
  const { source, weight, bias, target, y, x, tile, groups } = options;
  const vectors = Math.ceil(options.targetChannels / 4);
  const tiles = Math.ceil(vectors / tile.vectors);
  const pixels = options.batch * y.count * x.count;
  const [gx, gy] = foldedGrid(Math.ceil(pixels / tile.pixels), tile.lanes, options.traits.maxWorkgroupsPerDimension);
  const types = [source, weight, target].map((buffer) => buffer.dtype).join("_");
  return defineKernel({
    name: `${options.name}.${tile.pixels}x${tile.vectors * 4}.${types}${options.planes ? ".planes" : ""}`,
    buffers: {
      source: { ref: source.ref, type: elementType(source.dtype, 1), access: "read" },
      weight: { ref: weight.ref, type: elementType(weight.dtype, 4), access: "read" },
      ...(bias === null ? {} : { bias: { ref: bias.ref, type: elementType(bias.dtype, 1), access: "read" } }),
      result: { ref: target.ref, type: elementType(target.dtype, options.planes ? 1 : 4) },
    },
    uniforms: {
      pixels,
      countY: y.count,
      countX: x.count,
      sourceY: y.sourceExtent,
      sourceX: x.sourceExtent,
      sourceRow: groups * options.sourceChannels,
      sourceChannels: options.sourceChannels,
      startY: { i32: y.start },
      startX: { i32: x.start },
      strideY: y.stride,
      strideX: x.stride,
      spacingY: { i32: y.spacing },
      spacingX: { i32: x.spacing },
      tapsY: y.taps,
      tapsX: x.taps,
      firstTap: y.firstTap * options.kernelWidth + x.firstTap,
      tapStepY: y.tapStep * options.kernelWidth,
      tapStepX: x.tapStep,
      tiles,
      vectors,
      row: groups * vectors,
      targetY: y.targetExtent,
      targetX: x.targetExtent,
      originY: y.origin,
      originX: x.origin,
      stepY: y.step,
      stepX: x.step,
      targetChannels: options.targetChannels,
      targetRow: groups * options.targetChannels,
    },
    workgroupSize: [tile.lanes],
    grid: [gx, gy, groups * tiles],
    body: body(options),
  });
}

function body({ tile, source, weight, bias, target, planes }: ConvDirectOptions): string {
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
${
    unroll(P, (p) =>
      `let pixel${p} = min(first + ${p}u, u.pixels - 1u);
let x${p} = pixel${p} % u.countX;
let line${p} = pixel${p} / u.countX;
let y${p} = line${p} % u.countY;
let image${p} = line${p} / u.countY;
let sourceX${p} = i32(x${p} * u.strideX) + u.startX;
let sourceY${p} = i32(y${p} * u.strideY) + u.startY;`)
  }
${unroll(V, (v) => `let bias${v} = ${bias === null ? "vec4<f32>()" : biasVector(bias, v)};`)}
${unroll2(P, V, (p, v) => `var sum${p}_${v} = bias${v};`)}
for (var ty = 0u; ty < u.tapsY; ty++) {
  for (var tx = 0u; tx < u.tapsX; tx++) {
    let dy = i32(ty) * u.spacingY;
    let dx = i32(tx) * u.spacingX;
${
    unroll(P, (p) =>
      `    let iy${p} = u32(sourceY${p} + dy);
    let ix${p} = u32(sourceX${p} + dx);
    let inside${p} = iy${p} < u.sourceY && ix${p} < u.sourceX;
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
${planes ? storePlanes(tile, target.dtype) : storeVectors(tile, target.dtype)}`;
}

function biasVector(bias: FloatBuffer, v: number): string {
  const at = (j: number) => `targetChannel + min((vector + ${v}u) * 4u + ${j}u, u.targetChannels - 1u)`;
  return gather("bias", [at(0), at(1), at(2), at(3)], bias.dtype);
}

function storeVectors({ pixels, vectors }: ConvTile, dtype: FloatType): string {
  return unroll(pixels, (p) =>
    `if (first + ${p}u < u.pixels) {
  let to = ((image${p} * u.targetY + y${p} * u.stepY + u.originY) * u.targetX + x${p} * u.stepX + u.originX) * u.row +
    group * u.vectors + vector;
${
      unroll(
        vectors,
        (v) => `  if (vector + ${v}u < u.vectors) { ${store("result", `to + ${v}u`, `sum${p}_${v}`, dtype, 4)} }`,
      )
    }
}`);
}

function storePlanes({ pixels, vectors }: ConvTile, dtype: FloatType): string {
  return `let targetPlane = u.targetY * u.targetX;
${
    unroll(pixels, (p) =>
      `if (first + ${p}u < u.pixels) {
  let to = (image${p} * u.targetRow + targetChannel + vector * 4u) * targetPlane +
    (y${p} * u.stepY + u.originY) * u.targetX + x${p} * u.stepX + u.originX;
${
        unroll2(vectors * 4, 1, (j) =>
          `  if (vector * 4u + ${j}u < u.targetChannels) { ${
            store("result", `to + ${j}u * targetPlane`, `sum${p}_${j >> 2}[${j & 3}]`, dtype, 1)
          } }`)
      }
}`)
  }`;
}
