/**
 * Transforms of Winograd's convolution F(m x m, 3 x 3) in NHWC (A. Lavin and S. Gray, "Fast Algorithms for
 * Convolutional Neural Networks", 2015). With s = m + 2, a tile of s x s source pixels becomes s x s numbers, as does a
 * 3 x 3 filter; their elementwise products, summed over channels, become m x m target pixels.
 *
 *     V = B^T d B,  U = G g G^T,  y = A^T (sum over channels of U V) A
 *
 * @module
 */
import {
  type BufferRef,
  defineKernel,
  type KernelSpec,
  LINEAR_INDEX,
  linearGrid,
} from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { elementType, type FloatBuffer, load, store } from "./access.ts";
import { unroll, unroll2 } from "./unroll.ts";
import { declare } from "./tensors.ts";

const LANES = 64;

type Matrix = readonly (readonly number[])[];

/** One of Winograd's algorithms for 3 x 3 filters. */
export interface Winograd {
  /** m: target pixels per tile in each direction. */
  readonly pixels: 2 | 4;
  /** s: transformed numbers per tile in each direction. */
  readonly size: 4 | 6;
  /** B^T */
  readonly images: Matrix;
  /** G */
  readonly filters: Matrix;
  /** A^T */
  readonly products: Matrix;
}

/** F(2x2): 2.25 times fewer multiplications than the direct convolution, and smaller errors. */
export const F2: Winograd = {
  pixels: 2,
  size: 4,
  images: [[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]],
  filters: [[1, 0, 0], [1 / 2, 1 / 2, 1 / 2], [1 / 2, -1 / 2, 1 / 2], [0, 0, 1]],
  products: [[1, 1, 1, 0], [0, 1, -1, -1]],
};

/** F(4x4): 4 times fewer multiplications; errors are about 6 times those of F(2x2), 2e-6 of the result. */
export const F4: Winograd = {
  pixels: 4,
  size: 6,
  images: [
    [4, 0, -5, 0, 1, 0],
    [0, -4, -4, 1, 1, 0],
    [0, 4, -4, -1, 1, 0],
    [0, -2, -1, 2, 1, 0],
    [0, 2, -1, -2, 1, 0],
    [0, 4, 0, -5, 0, 1],
  ],
  filters: [
    [1 / 4, 0, 0],
    [-1 / 6, -1 / 6, -1 / 6],
    [-1 / 6, 1 / 6, -1 / 6],
    [1 / 24, 1 / 12, 1 / 6],
    [1 / 24, -1 / 12, 1 / 6],
    [0, 0, 1],
  ],
  products: [[1, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 0], [0, 1, 1, 4, 4, 0], [0, 1, -1, 8, -8, 1]],
};

/** Tiles of images `firstImage` .. `firstImage + images - 1`. */
export interface WinogradTiles {
  readonly algorithm: Winograd;
  readonly firstImage: number;
  readonly images: number;
  /** Tiles per image, in height and width. */
  readonly tilesY: number;
  readonly tilesX: number;
}

export function tileCount(tiles: WinogradTiles): number {
  return tiles.images * tiles.tilesY * tiles.tilesX;
}

/** Returns WGSL for the sum of `row[i] value(i)`. */
function combine(row: readonly number[], value: (i: number) => string): string {
  const terms = row.flatMap((factor, i) => {
    if (factor === 0) return [];
    const size = Math.abs(factor);
    return [`${factor < 0 ? "-" : "+"} ${size === 1 ? "" : `${size} * `}${value(i)}`];
  });
  return terms.join(" ").replace(/^\+ /, "").replace(/^- /, "-");
}

/** Returns WGSL that declares variables `t{y}{x}` = matrix times `{from}{y}{x}` for the columns x < `columns`. */
function timesColumns(matrix: Matrix, from: string, columns: number): string {
  return unroll(
    columns,
    (x) => unroll(matrix.length, (y) => `var t${y}${x} = ${combine(matrix[y]!, (i) => `${from}${i}${x}`)};`),
  );
}

/** Returns WGSL for the value at (y, x) of t times the transposed matrix. */
function timesRow(matrix: Matrix, y: number, x: number): string {
  return combine(matrix[x]!, (i) => `t${y}${i}`);
}

/** Returns WGSL that stores t times the transposed matrix; `to` maps a place to the target. */
function storeTimesRows(matrix: Matrix, to: (place: string) => string): string {
  const size = matrix.length;
  return unroll2(size, size, (y, x) => `${to(`(${size}u * ${y}u + ${x}u)`)} = ${timesRow(matrix, y, x)};`);
}

/** Transform of weights `[tap][in][out]` to filters. */
export interface WinogradFilters {
  readonly weight: FloatBuffer;
  /** `[s * s][target channel][source channel]` */
  readonly target: BufferRef;
  readonly inputChannels: number;
  readonly outputChannels: number;
  /** True for the input gradient, in which sources are output channels and taps are reversed. */
  readonly flipped: boolean;
}

/**
 * Returns the kernel that transforms source images to `target[s * s][tile][channel]`. The tile at (y, x) reads pixels
 * from `(m y + startY, m x + startX)` on. For the first images, the first workgroups also transform the filters, which
 * is cheaper than a separate dispatch.
 */
export function transformSources(options: {
  readonly source: FloatBuffer;
  readonly target: BufferRef;
  readonly tiles: WinogradTiles;
  readonly channels: number;
  readonly size: readonly [number, number];
  readonly start: readonly [number, number];
  readonly filters: WinogradFilters;
  readonly traits: DeviceTraits;
}): KernelSpec {
  const { source, tiles, channels, filters, traits } = options;
  const { pixels: M, size: S, images: matrix } = tiles.algorithm;
  const { weight, inputChannels: into, outputChannels: out } = filters;
  const count = tileCount(tiles) * channels / 4;
  const filterGroups = tiles.firstImage === 0 ? Math.ceil(into * out / LANES) : 0;
  const [columns, rowStep, columnStep] = filters.flipped ? [out, out, 1] : [into, 1, out];
  return defineKernel({
    name: `conv2d.winograd.sources.${M}.${source.dtype}_${weight.dtype}`,
    buffers: {
      source: { ref: source.ref, type: elementType(source.dtype, 4), access: "read" },
      weight: { ref: weight.ref, type: elementType(weight.dtype, 1), access: "read" },
      images: { ref: options.target, type: "vec4<f32>" },
      filters: { ref: filters.target, type: "f32" },
    },
    uniforms: {
      filterGroups,
      filterCount: into * out,
      columns,
      rowStep,
      columnStep,
      flip: filters.flipped ? 1 : 0,
      count,
      vectors: channels / 4,
      tilesX: tiles.tilesX,
      tilesY: tiles.tilesY,
      firstImage: tiles.firstImage,
      sizeY: options.size[0],
      sizeX: options.size[1],
      startY: { i32: options.start[0] },
      startX: { i32: options.start[1] },
    },
    workgroupSize: [LANES],
    grid: linearGrid(filterGroups * LANES + count, LANES, traits.maxWorkgroupsPerDimension),
    body: `
let workgroup = wid.y * grid.x + wid.x;
if (workgroup < u.filterGroups) {
${filterBody(tiles.algorithm, filters)}
  return;
}
let i = (workgroup - u.filterGroups) * ${LANES}u + lix;
if (i >= u.count) { return; }
let vector = i % u.vectors;
let tile = i / u.vectors;
let left = i32(${M}u * (tile % u.tilesX)) + u.startX;
let line = tile / u.tilesX;
let top = i32(${M}u * (line % u.tilesY)) + u.startY;
let image = u.firstImage + line / u.tilesY;
${unroll(S, (x) => `let x${x} = u32(left + ${x});\nlet inX${x} = x${x} < u.sizeX;`)}
${
      unroll(S, (y) =>
        `let y${y} = u32(top + ${y});
let row${y} = (image * u.sizeY + y${y}) * u.sizeX;
${
          unroll(S, (x) =>
            `let in${y}${x} = inX${x} && y${y} < u.sizeY;
let d${y}${x} = select(vec4<f32>(), ${
              load("source", `select(0u, (row${y} + x${x}) * u.vectors, in${y}${x}) + vector`, source.dtype, 4)
            }, in${y}${x});`)
        }`)
    }
${timesColumns(matrix, "d", S)}
${storeTimesRows(matrix, (place) => `images[${place} * u.count + i]`)}`,
  });
}

function filterBody(algorithm: Winograd, { weight }: WinogradFilters): string {
  const at = (tap: number) => `at + select(${tap}u, ${8 - tap}u, u.flip != 0u) * u.filterCount`;
  return `
  let i = workgroup * ${LANES}u + lix;
  if (i >= u.filterCount) { return; }
  let at = (i / u.columns) * u.rowStep + (i % u.columns) * u.columnStep;
${unroll2(3, 3, (y, x) => `let g${y}${x} = ${load("weight", at(3 * y + x), weight.dtype, 1)};`)}
${timesColumns(algorithm.filters, "g", 3)}
${storeTimesRows(algorithm.filters, (place) => `filters[${place} * u.filterCount + i]`)}`;
}

/**
 * Returns the kernel that makes target images from products `[s * s][tile][channel]` and an optional bias per channel.
 */
export function transformProducts(options: {
  readonly name: string;
  readonly products: BufferRef;
  readonly bias: FloatBuffer | null;
  readonly target: FloatBuffer;
  readonly tiles: WinogradTiles;
  readonly channels: number;
  readonly size: readonly [number, number];
  readonly traits: DeviceTraits;
}): KernelSpec {
  const { target, bias, tiles, channels, traits } = options;
  const count = tileCount(tiles) * channels / 4;
  const { pixels: M, size: S, products: matrix } = tiles.algorithm;
  return defineKernel({
    name: `conv2d.winograd.products.${M}.${target.dtype}${bias === null ? "" : ".bias"}`,
    buffers: {
      products: { ref: options.products, type: "vec4<f32>", access: "read" },
      ...(bias === null ? {} : { bias: { ref: bias.ref, type: elementType(bias.dtype, 4), access: "read" } }),
      result: declare(target, 4),
    },
    uniforms: {
      count,
      vectors: channels / 4,
      tilesX: tiles.tilesX,
      tilesY: tiles.tilesY,
      firstImage: tiles.firstImage,
      sizeY: options.size[0],
      sizeX: options.size[1],
    },
    workgroupSize: [LANES],
    grid: linearGrid(count, LANES, traits.maxWorkgroupsPerDimension),
    body: `
let i = ${LINEAR_INDEX(LANES)};
if (i >= u.count) { return; }
let vector = i % u.vectors;
let tile = i / u.vectors;
let x = ${M}u * (tile % u.tilesX);
let line = tile / u.tilesX;
let y = ${M}u * (line % u.tilesY);
let image = u.firstImage + line / u.tilesY;
${unroll2(S, S, (y, x) => `let m${y}${x} = products[${S * y + x}u * u.count + i];`)}
${timesColumns(matrix, "m", S)}
let bias_ = ${bias === null ? "vec4<f32>()" : load("bias", "vector", bias.dtype, 4)};
let to = ((image * u.sizeY + y) * u.sizeX + x) * u.vectors + vector;
${
      unroll2(M, M, (y, x) => {
        const value = `bias_ + ${timesRow(matrix, y, x)}`;
        const at = `to + (${y}u * u.sizeX + ${x}u) * u.vectors`;
        return `if (y + ${y}u < u.sizeY && x + ${x}u < u.sizeX) { ${store("result", at, value, target, 4)} }`;
      })
    }`,
  });
}
