/**
 * Tiles that a workgroup of `tiled_product.ts` computes: sizes, use of workgroup memory, and the choice among them.
 *
 * @module
 */
import type { DeviceTraits } from "../../runtime/device/traits.ts";

/** Invocations per workgroup, and their number along rows and along columns. */
export const LANES = 256;
export const SIDE = 16;

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
export function tileExtent(parts: 1 | 2): number {
  return SIDE * 4 * parts;
}

/** Returns the name of a tile, such as `128x64`. */
export function tileName({ rowParts, columnParts }: TiledTile): string {
  return `${tileExtent(rowParts)}x${tileExtent(columnParts)}`;
}

/** Returns the steps along k per slab, for which each invocation fetches one or two quads of a factor. */
export function depthOf({ rowParts, columnParts }: TiledTile): number {
  return rowParts * columnParts === 4 ? 8 : 16;
}

/**
 * Returns the bytes of `depth` steps of a factor. A transposed factor has an extra quad per row to avoid bank
 * conflicts.
 */
export function slabBytes(along: "k" | "outer", parts: 1 | 2, depth: number): number {
  return 16 * depth * (tileExtent(parts) / 4 + (along === "k" ? 1 : 0));
}

/** Returns the maximum workgroup memory, in bytes, of one slab of both factors. */
function tileBytes(tile: TiledTile): number {
  const { rowParts, columnParts } = tile;
  return slabBytes("k", rowParts, depthOf(tile)) + slabBytes("k", columnParts, depthOf(tile));
}

/** Returns true if workgroup memory holds two slabs. */
export function fitsTwice(tile: TiledTile, { maxWorkgroupBytes }: DeviceTraits): boolean {
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
