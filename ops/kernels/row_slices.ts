/**
 * Slices of rows whose tensors kernels read as uniforms (`windows.ts`), for software adapters.
 *
 * @module
 */
import { greatestCommonDivisor } from "../../runtime/core/greatest_common_divisor.ts";
import { type BufferDeclaration, type BufferRef, WINDOW_BYTES } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { type ChannelRows, teamOfVector, type Walk } from "./channel_rows.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import { hasSimd } from "./simd.ts";
import { bytesOfNumbers, largestDivisor, SLICE_ALIGNMENT, sliced, type Slicing } from "./windows.ts";

/** Rows per lane where a dispatch takes a slice of the rows. */
const SLICED_ROWS = 64;

/** Division of the rows into dispatches that read their rows as uniforms (`windows.ts`), and of a slice among lanes. */
export interface RowSlices extends Slicing {
  /** Walk of one dispatch, and of all of them together, in which the lanes of the dispatches follow each other. */
  readonly walk: Walk;
  readonly total: Walk;
}

/**
 * Returns slices for kernels that read and write `tensors`, or null where windows are no use or impossible: on other adapters
 * than lavapipe, in planes, for tensors that are smaller than a window, and where the rows have no suitable divisor.
 */
export function rowSlices(
  shape: ChannelRows,
  traits: DeviceTraits,
  tensors: readonly (FloatBuffer | null)[],
): RowSlices | null {
  const { rows, channels, pairs, plane, width } = shape;
  const buffers = tensors.filter((tensor) => tensor !== null);
  if (!hasSimd(traits) || plane !== null || width !== 4) return null;
  if (!pairs && buffers.some(({ dtype }) => dtype !== "f32")) return null; // uniforms have no vectors of four f16
  const bytes = buffers.map(({ dtype }) => bytesOfNumbers(channels, dtype));
  const most = Math.floor(WINDOW_BYTES / Math.max(...bytes));
  const slicing = rows < most ? null : sliced(rows, bytes, []);
  if (slicing === null || slicing.items < most / 2) return null;
  const team = teamOfVector(shape, slicing.items);
  const rowsPerTeam = SLICED_ROWS * team;
  const block = largestDivisor(slicing.items, rowsPerTeam);
  const lanes = slicing.items / block * team;
  if (block < rowsPerTeam / 4 || bytesOfNumbers(lanes * channels, "f32") % SLICE_ALIGNMENT !== 0) return null;
  return {
    ...slicing,
    walk: { lanes, team, block },
    total: { lanes: lanes * slicing.dispatches, team, block },
  };
}

/** Dispatches of a kernel: each `of`th slice from `first` on. */
export interface SlicePhase {
  readonly first: number;
  readonly of: number;
}

/**
 * Returns the kernels that share the slices of rows where each row has a number in other tensors. Windows of those begin
 * at aligned offsets, so that a window may hold the numbers of several slices. Returns null if no equal shares exist.
 */
export function phasesOf({ items, dispatches }: RowSlices): readonly SlicePhase[] | null {
  const of = SLICE_ALIGNMENT / greatestCommonDivisor(bytesOfNumbers(items, "f32"), SLICE_ALIGNMENT);
  return dispatches % of === 0 ? Array.from({ length: of }, (_, first) => ({ first, of })) : null;
}

/** Returns the declaration of partial sums in scratch memory of {@linkcode partsBytes} that a merge reads. */
export function mergedParts(ref: BufferRef, type: string, slices: RowSlices | null, bytes: number): BufferDeclaration {
  return slices !== null && bytes <= WINDOW_BYTES
    ? { ref, type, access: "uniform", window: WINDOW_BYTES }
    : { ref, type, access: "read" };
}

/** Returns the size of scratch memory for values that kernels with slices read as a window of fixed size. */
export function partsBytes(slices: RowSlices | null, bytes: number): number {
  return slices === null ? bytes : Math.max(bytes, WINDOW_BYTES);
}
