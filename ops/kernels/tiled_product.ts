/**
 * Matrix product for GPUs, C[row][column] = sum over k of A(row, k) B(k, column). A workgroup of 256 invocations copies
 * slabs of both factors to workgroup memory, and every invocation sums `rowParts * columnParts` blocks of 4 x 4 in
 * registers. The caller decides what A, B and C are: matrices, or images that a convolution gathers from.
 *
 * The next slab is fetched into registers before the current one is multiplied, so the fetch overlaps the arithmetic.
 * If workgroup memory holds two slabs, there is one barrier per slab. All indices of workgroup memory but the slab's
 * and the invocation's are constants, since every other index costs a bounds clamp; the sum is unrolled for the same
 * reason.
 *
 * @see https://siboehm.com/articles/22/CUDA-MMM for the effect of each technique
 * @module
 */

import { defineKernel, type KernelOptions, type KernelSpec } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { unroll, unroll2 } from "./unroll.ts";

/** Invocations per workgroup, and their number along rows and along columns. */
const LANES = 256;
const SIDE = 16;

/** Numbers of blocks of four rows and of four columns that an invocation sums. */
export interface TiledTile {
  readonly rowParts: 1 | 2;
  readonly columnParts: 1 | 2;
}

/** All tiles, largest first: larger tiles read less, smaller tiles give more workgroups. */
const TILES: readonly TiledTile[] = [
  { rowParts: 2, columnParts: 2 },
  { rowParts: 2, columnParts: 1 },
  { rowParts: 1, columnParts: 2 },
  { rowParts: 1, columnParts: 1 },
];

/** Number of workgroups that keeps a large GPU busy: more than one for each of 132 multiprocessors. */
export const WANTED_WORKGROUPS = 192;

/** Returns the rows or columns of a workgroup's tile. */
function tileExtent(parts: 1 | 2): number {
  return SIDE * 4 * parts;
}

/** Returns the name of a tile, such as `128x64`. */
function tileName({ rowParts, columnParts }: TiledTile): string {
  return `${tileExtent(rowParts)}x${tileExtent(columnParts)}`;
}

/** Returns the steps along k per slab, for which each invocation fetches one or two quads of a factor. */
function depthOf({ rowParts, columnParts }: TiledTile): number {
  return rowParts * columnParts === 4 ? 8 : 16;
}

/**
 * Returns the bytes of `depth` steps of a factor. A transposed factor has an extra quad per row to avoid bank
 * conflicts.
 */
function slabBytes(along: "k" | "outer", parts: 1 | 2, depth: number): number {
  return 16 * depth * (tileExtent(parts) / 4 + (along === "k" ? 1 : 0));
}

/** Returns the maximum workgroup memory, in bytes, of one slab of both factors. */
function tileBytes(tile: TiledTile): number {
  const { rowParts, columnParts } = tile;
  return slabBytes("k", rowParts, depthOf(tile)) + slabBytes("k", columnParts, depthOf(tile));
}

/** Returns true if workgroup memory holds two slabs. */
function fitsTwice(tile: TiledTile, { maxWorkgroupBytes }: DeviceTraits): boolean {
  return 2 * tileBytes(tile) <= maxWorkgroupBytes;
}

/** Returns the number of workgroups for a product of `rows` by `columns`. */
export function tilesOf(tile: TiledTile, rows: number, columns: number): number {
  return Math.ceil(rows / tileExtent(tile.rowParts)) * Math.ceil(columns / tileExtent(tile.columnParts));
}

/**
 * Returns the tiles that an adapter supports, the default first: the largest that is not half empty and keeps a large
 * GPU busy.
 *
 * @param copies number of products of this size, or of parts that each sum can be split into
 */
export function tiledTiles(rows: number, columns: number, copies: number, traits: DeviceTraits): TiledTile[] {
  if (traits.maxInvocations < LANES) return [];
  const possible = TILES.filter((tile) =>
    (tile.rowParts === 1 || rows > tileExtent(1)) && (tile.columnParts === 1 || columns > tileExtent(1)) &&
    Math.ceil(rows / tileExtent(tile.rowParts)) <= traits.maxWorkgroupsPerDimension &&
    tileBytes(tile) <= traits.maxWorkgroupBytes
  );
  const best = possible.find((tile) => tilesOf(tile, rows, columns) * copies >= WANTED_WORKGROUPS) ?? possible.at(-1);
  return best === undefined ? [] : [best, ...possible.filter((tile) => tile !== best)];
}

/** Steps along k per unrolled loop; naga adds a bounds check to each loop. */
const UNROLLED = 8;

/** A factor of the product, read in quads of four numbers. */
export interface TiledFactor {
  /**
   * Direction of a quad: along k or the outer dimension (rows of A, columns of B). It should be contiguous in memory.
   */
  readonly along: "k" | "outer";
  /**
   * Returns statements at the start. An invocation fetches a few quads of each slab. Along the outer dimension, quad
   * `i` of the first slab starts at row or column `outer` and is at `k`. Along k, it is in row or column `outer` and
   * starts at `k`, which is the same for all quads.
   */
  setup(i: number, outer: string, k: string): string;
  /** Returns statements before the load of quad `i` of a slab; `k` may be past the end. */
  slab?(i: number, k: string): string;
  /** Returns quad `i` as `vec4<f32>`; past the end it may be any value within the buffer. */
  load(i: number, k: string): string;
  /** True if quads past the end are 0 without help, or meet only those of the other factor that are, and are finite. */
  readonly bounded?: true;
  /** Returns statements after the load of quad `i`; the quad of the next slab is `depth` further along k. */
  advance?(i: number, depth: number): string;
}

export interface TiledProductOptions {
  readonly name: string;
  readonly buffers: KernelOptions["buffers"];
  readonly uniforms: NonNullable<KernelOptions["uniforms"]>;
  /** Functions that the factors call. */
  readonly functions?: string;
  readonly a: TiledFactor;
  readonly b: TiledFactor;
  readonly tile: TiledTile;
  /** Statements that declare `begin` and `end` of the sum from `wid.z`; the same for the whole workgroup. */
  readonly range: string;
  /** Returns the initial sums of the columns `column` .. `column + 3`, as `vec4<f32>`. */
  initial(column: string): string;
  /** Returns statements that write four columns of a row, with bounds checks. */
  store(row: string, column: string, value: string): string;
  readonly rows: number;
  readonly columns: number;
  readonly depth: number;
  readonly traits: DeviceTraits;
}

export function tiledProduct(options: TiledProductOptions): KernelSpec {
  const { tile, traits } = options;
  const { rowParts: R, columnParts: C } = tile;
  const depth = depthOf(tile);
  const twice = fitsTwice(tile, traits);
  const slots = depth / UNROLLED;
  const [a, b] = [slabOf("A", options.a, R, depth), slabOf("B", options.b, C, depth)];
  const declare = (slab: Slab) =>
    `var<workgroup> tile${slab.name}: array<array<array<${slab.quad}, ${slab.width}>, ${UNROLLED}>, ${
      slots * (twice ? 2 : 1)
    }>;`;
  return defineKernel({
    name: `${options.name}.tiled.${tileName(tile)}`,
    buffers: options.buffers,
    uniforms: options.uniforms,
    prelude: `${declare(a)}
${declare(b)}
${options.functions ?? ""}`,
    workgroupSize: [LANES],
    grid: [Math.ceil(options.columns / tileExtent(C)), Math.ceil(options.rows / tileExtent(R)), options.depth],
    body: `
${options.range}
let tileRow = wid.y * ${tileExtent(R)}u;
let tileColumn = wid.x * ${tileExtent(C)}u;
// Subgroups of 32 span 4 x 8 blocks, which minimises the number of distinct values read
let ty = (lix / 64u) * 4u + (lix / 8u) % 4u;
let tx = ((lix / 32u) % 2u) * 8u + lix % 8u;
${a.setup("tileRow")}
${b.setup("tileColumn")}
${unroll(C, (c) => `let column${c} = tileColumn + (${SIDE * c}u + tx) * 4u;`)}
${unroll(C, (c) => `let initial${c} = ${options.initial(`column${c}`)};`)}
${unroll2(4 * R, C, (r, c) => `var sum${r}_${c} = initial${c};`)}
{
  let slab = begin;
${a.fetch()}
${b.fetch()}
}
${a.keep("0u")}
${b.keep("0u")}
workgroupBarrier();
var base = 0u;
for (var slot = begin; slot < end; slot += ${depth}u) {
  let slab = slot + ${depth}u;
  if (slab < end) {
${a.fetch()}
${b.fetch()}
  }
${slots === 1 ? "  {\n  let part = base;" : `  for (var part = base; part < base + ${slots}u; part++) {`}
${
      unroll(UNROLLED, (k) =>
        `    {
${unroll(R, (i) => `      let a${i} = ${a.read(`[part][${k}u][${SIDE * i}u + ty]`)};`)}
${unroll(C, (i) => `      let b${i} = ${b.read(`[part][${k}u][${SIDE * i}u + tx]`)};`)}
${unroll2(4 * R, C, (r, c) => `      sum${r}_${c} += a${r >> 2}[${r & 3}] * b${c};`)}
    }`)
    }
  }
  ${twice ? `base = ${slots}u - base;` : "workgroupBarrier();"}
  if (slab < end) {
${a.keep("base")}
${b.keep("base")}
  }
  workgroupBarrier();
}
${
      unroll(4 * R, (r) =>
        `{
  let row = tileRow + (${SIDE * (r >> 2)}u + ty) * 4u + ${r & 3}u;
${unroll(C, (c) => options.store("row", `column${c}`, `sum${r}_${c}`))}
}`)
    }`,
  });
}

/** Statements that copy slabs of a factor to workgroup memory. */
interface Slab {
  readonly name: "A" | "B";
  /** Quads per row of workgroup memory, and their type. */
  readonly width: number;
  readonly quad: string;
  setup(origin: string): string;
  /** Returns statements that load the invocation's part of the slab that starts at `slab` into registers. */
  fetch(): string;
  /** Returns statements that write the registers to workgroup memory, from slot `base` on. */
  keep(base: string): string;
  /** Returns the quad at `place` of workgroup memory, as `vec4<f32>`. */
  read(place: string): string;
}

function slabOf(
  name: "A" | "B",
  factor: TiledFactor,
  parts: 1 | 2,
  depth: number,
): Slab {
  const extent = tileExtent(parts);
  const quads = (extent * depth) / (4 * LANES);
  const value = (i: number) => `next${name}${i}`;
  const alongK = factor.along === "k";
  // Quads per row along the contiguous direction; neighbouring invocations take neighbours in memory
  const across = alongK ? depth / 4 : extent / 4;
  const place = (i: number) => `(lix / ${across}u + ${(LANES / across) * i}u)`;
  const k = (i: number) => alongK ? `(lix % ${across}u) * 4u` : place(i);
  // Along k, all quads of an invocation have the same k
  const nameOfK = (i: number) => `k${name}${alongK ? 0 : i}`;
  const ahead = (i: number) => `(slab + ${nameOfK(i)})`;
  const fetched = (i: number) => {
    const at = [0, 1, 2, 3].map((j) => `${ahead(i)} + ${j}u`);
    const inside = alongK ? `vec4<u32>(${at.join(", ")}) < vec4<u32>(end)` : `${ahead(i)} < end`;
    const loaded = factor.load(i, ahead(i));
    return `${factor.slab?.(i, ahead(i)) ?? ""}
${value(i)} = ${factor.bounded ? loaded : `select(vec4<f32>(), ${loaded}, ${inside})`};`;
  };
  const kept = (i: number, base: string) => {
    const at = (k: string) => `tile${name}[${base} + ${k} / ${UNROLLED}u][${k} % ${UNROLLED}u]`;
    if (!alongK) return `${at(k(i))}[lix % ${across}u] = ${value(i)};`;
    return unroll(4, (j) => `${at(`(${k(i)} + ${j}u)`)}[${place(i)} / 4u][${place(i)} % 4u] = ${value(i)}[${j}];`);
  };
  return {
    name,
    width: slabBytes(factor.along, parts, 1) / 16,
    // Four invocations write to each quad of a transposed slab, so it cannot be a vector: writing one number of a
    // vector may
    // read and write all four
    quad: alongK ? "array<f32, 4>" : "vec4<f32>",
    setup: (origin) =>
      unroll(quads, (i) => {
        const outer = alongK ? place(i) : `(lix % ${across}u) * 4u`;
        return `${alongK && i > 0 ? "" : `let ${nameOfK(i)} = ${k(i)};`}
${factor.setup(i, `(${origin} + ${outer})`, `(begin + ${nameOfK(i)})`)}
var ${value(i)} = vec4<f32>();`;
      }),
    fetch: () =>
      `{
${unroll(quads, fetched)}
${unroll(quads, (i) => factor.advance?.(i, depth) ?? "")}
}`,
    keep: (base) => unroll(quads, (i) => kept(i, base)),
    read: (place) => {
      const quad = `tile${name}${place}`;
      return alongK ? `vec4<f32>(${[0, 1, 2, 3].map((j) => `${quad}[${j}]`).join(", ")})` : quad;
    },
  };
}
