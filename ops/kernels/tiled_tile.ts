/**
 * The tiles that a workgroup of `tiled_product.ts` computes: their sizes, what workgroup memory they take, and which to
 * choose.
 *
 * @module
 */
import type { DeviceTraits } from "../../runtime/device/traits.ts";

/** Invocations of a workgroup, and how many of them lie along rows and columns. */
export const LANES = 256;
export const SIDE = 16;

/** Blocks of four rows and of four columns that an invocation sums. */
export interface TiledTile {
  readonly rowParts: 1 | 2;
  readonly columnParts: 1 | 2;
}

/** From the largest on: larger ones read less, smaller ones make more workgroups. */
const TILES: readonly TiledTile[] = [
  { rowParts: 2, columnParts: 2 },
  { rowParts: 2, columnParts: 1 },
  { rowParts: 1, columnParts: 2 },
  { rowParts: 1, columnParts: 1 },
];

/** Workgroups that a large GPU wants, 132 multiprocessors with more than one each. */
export const WANTED_WORKGROUPS = 192;

/** Rows or columns of a workgroup's tile. */
export function tileExtent(parts: 1 | 2): number {
  return SIDE * 4 * parts;
}

/** Such as `128x64`. */
export function tileName({ rowParts, columnParts }: TiledTile): string {
  return `${tileExtent(rowParts)}x${tileExtent(columnParts)}`;
}

/** Steps along k of a slab: each invocation fetches one or two quads of a factor. */
export function depthOf({ rowParts, columnParts }: TiledTile): number {
  return rowParts * columnParts === 4 ? 8 : 16;
}

/** Bytes of `depth` steps of a factor; what is transposed on its way has a quad more to a row, against bank conflicts. */
export function slabBytes(along: "k" | "outer", parts: 1 | 2, depth: number): number {
  return 16 * depth * (tileExtent(parts) / 4 + (along === "k" ? 1 : 0));
}

/** Workgroup memory of one slab of both factors at the most. */
function tileBytes(tile: TiledTile): number {
  const { rowParts, columnParts } = tile;
  return slabBytes("k", rowParts, depthOf(tile)) + slabBytes("k", columnParts, depthOf(tile));
}

/** Whether workgroup memory holds two slabs. */
export function fitsTwice(tile: TiledTile, { maxWorkgroupBytes }: DeviceTraits): boolean {
  return 2 * tileBytes(tile) <= maxWorkgroupBytes;
}

/** Workgroups of a product of so many rows and columns. */
export function tilesOf(tile: TiledTile, rows: number, columns: number): number {
  return Math.ceil(rows / tileExtent(tile.rowParts)) * Math.ceil(columns / tileExtent(tile.columnParts));
}

/**
 * Tiles that an adapter takes, the default first: the largest that is not half empty and keeps a large GPU busy.
 *
 * @param copies products of the same size, and parts that each sum can be split into
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
