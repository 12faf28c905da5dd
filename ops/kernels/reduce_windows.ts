/**
 * Division of a reduction into dispatches that read windows of the tensor as uniforms (`windows.ts`), for software
 * adapters. A window holds some rows; it begins at an aligned offset, so its first row may begin a little later, and
 * the windows whose rows begin at the same distance share a kernel. If the rows are reduced, each dispatch writes parts
 * that the second stage merges.
 *
 * @module
 */
import { greatestCommonDivisor } from "../../runtime/core/greatest_common_divisor.ts";
import { roundUp } from "../../runtime/core/round_up.ts";
import { WINDOW_BYTES } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import type { TensorType } from "../../runtime/graph/types.ts";
import { floatType } from "./access.ts";
import { isAligned } from "./elementwise_form.ts";
import { mergedDims, raggedTerms, type ReduceShares, shares, SHORTEST_RAGGED } from "./reduce_shares.ts";
import { hasSimd, SIMD_LANES } from "./simd.ts";
import { bytesOfNumbers, SLICE_ALIGNMENT } from "./windows.ts";

/** Minimum lanes per dispatch that keep all cores busy, if a window is large enough. */
const BUSY_LANES = 64;
/** Minimum number of terms per part of a window. */
const FEWEST_TERMS = 8;
/** Minimum rows per window that are reduced each by a lane. */
const FEWEST_ROWS = SIMD_LANES;
/** Maximum number of kernels that differ in where their rows begin. */
const MOST_KERNELS = 256;

/** Windows whose rows begin at the same distance. */
export interface ReduceWindow {
  /** The reduction of one window. */
  readonly shares: ReduceShares;
  /** Bytes of a window. */
  readonly bytes: number;
  /** Numbers before the first row of a window. */
  readonly shift: number;
  /** Bytes of a window of the results, and numbers before the first result. */
  readonly written: number;
  readonly place: number;
  /** Offsets of the windows in bytes. */
  readonly slices: readonly { readonly read: number; readonly written: number }[];
}

export interface ReduceWindows {
  readonly windows: readonly ReduceWindow[];
  /** Parts per output; null if the windows' results are the outputs. */
  readonly parts: number | null;
  readonly outputs: number;
  /** Numbers of a part of all outputs. */
  readonly row: number;
  /** Outputs of a block and the numbers that they take in a part, which end with surplus ones; null if there are none. */
  readonly padding: { readonly columns: number; readonly padded: number } | null;
  /** Parts per window, and reduced rows between them. */
  readonly partsPerWindow: number;
  readonly rowsPerWindow: number;
}

/** A dispatch, before those that share a kernel are joined. */
interface Dispatch {
  /** Offsets of its rows and of its results, in bytes. */
  readonly read: number;
  readonly written: number;
  readonly rows: number;
  readonly blocks: number;
}

/**
 * Returns the windows, or null if they are no use or impossible: on other adapters than lavapipe, for tensors smaller
 * than a window, and where inputs are broadcast or rows are too long.
 *
 * @param inputs tensors that are read
 * @param outputBytes bytes of an output
 */
export function reduceWindows(
  axes: readonly number[],
  space: TensorType,
  inputs: readonly TensorType[],
  outputBytes: number,
  traits: DeviceTraits,
): ReduceWindows | null {
  if (!hasSimd(traits)) return null;
  if (!inputs.every((type) => isAligned(type, space) && type.dtype === inputs[0]!.dtype)) return null;
  const dtype = floatType(inputs[0]!);
  const dims = mergedDims(axes, space);
  const along = dims.at(-1)?.reduced === true;
  if (dims.length < 2 || dims.length > (along ? 2 : 3)) return null;
  const columns = dims.at(-1)!.size;
  const rows = dims.at(-2)!.size;
  const blocks = dims.length === 3 ? dims[0]!.size : 1;
  const step = dtype === "f16" ? 8 : 4;
  const rowBytes = bytesOfNumbers(columns, dtype);
  if (blocks * rows * rowBytes <= WINDOW_BYTES) return null;
  const whole = columns % step === 0;
  if (!whole && along && columns < SHORTEST_RAGGED) return null;

  const padded = roundUp(columns, step);
  const outputs = along ? rows : blocks * columns;
  const row = along ? roundUp(outputs, step) : blocks * padded;
  const lines = Math.ceil(columns / step);
  const most = Math.floor(WINDOW_BYTES / rowBytes);
  // Small blocks of rows share a window
  const blockBytes = rows * rowBytes;
  const shared = blocks > 1 && 2 * blockBytes <= WINDOW_BYTES;
  const splits = along || shared
    ? 1
    : Math.max(1, Math.min(Math.ceil(BUSY_LANES / lines), Math.floor(most / FEWEST_TERMS)));
  const rowsPerWindow = shared ? rows : itemsOf(rows, rowBytes, along ? outputBytes : splits * row * 4, blocks > 1);
  if (rowsPerWindow < (along ? FEWEST_ROWS : 2)) return null;
  const perBlock = Math.ceil(rows / rowsPerWindow);
  const direct = along || (whole && perBlock * splits === 1);
  const resultBytes = direct ? outputBytes : 4;
  const blocksPerWindow = shared ? itemsOf(blocks, blockBytes, padded * resultBytes, true) : 1;

  const dispatches = Array.from({ length: Math.ceil(blocks / blocksPerWindow) * perBlock }, (_, i): Dispatch => {
    const [block, window] = [Math.floor(i / perBlock) * blocksPerWindow, i % perBlock];
    return {
      read: (block * rows + window * rowsPerWindow) * rowBytes,
      written: along ? window * rowsPerWindow * outputBytes : (window * splits * row + block * padded) * resultBytes,
      rows: Math.min(rowsPerWindow, rows - window * rowsPerWindow),
      blocks: Math.min(blocksPerWindow, blocks - block),
    };
  });
  const total = roundUp(blocks * blockBytes, 16);
  const groups = new Map<string, Dispatch[]>();
  for (const dispatch of dispatches) {
    const { read, written, rows, blocks } = dispatch;
    const key = `${read % SLICE_ALIGNMENT} ${written % SLICE_ALIGNMENT} ${rows} ${blocks}`;
    groups.set(key, [...groups.get(key) ?? [], dispatch]);
  }
  if (groups.size > MOST_KERNELS) return null;
  const windows = [...groups.values()].map((group): ReduceWindow => {
    const first = group[0]!;
    const own = sharesOfWindow({ ...first, along, columns, step, whole, splits, stride: rows * columns });
    const [readBefore, writtenBefore] = [first.read % SLICE_ALIGNMENT, first.written % SLICE_ALIGNMENT];
    const last = group.at(-1)!;
    const size = along ? first.rows * outputBytes : ((splits - 1) * row + first.blocks * padded) * resultBytes;
    return {
      shares: own,
      bytes: Math.min(WINDOW_BYTES, total - (last.read - readBefore)),
      shift: readBefore / bytesOfNumbers(1, dtype),
      written: roundUp(writtenBefore + size, 4),
      place: writtenBefore / resultBytes,
      slices: group.map(({ read, written }) => ({ read: read - readBefore, written: written - writtenBefore })),
    };
  });
  return {
    windows,
    parts: direct ? null : perBlock * splits,
    ...{ outputs, row, rowsPerWindow },
    padding: whole || blocks === 1 ? null : { columns, padded },
    partsPerWindow: splits,
  };
}

/**
 * Returns the items per window: among all numbers that fill at least half of it, the one for which the items of the
 * fewest windows begin in different places, and the largest of those. 0 if there is none.
 *
 * @param writtenBytes bytes between the results of neighbouring items, or of neighbouring windows if `divides`
 * @param divides true to prefer divisors of the number of items, so that all windows have as many
 */
function itemsOf(count: number, itemBytes: number, writtenBytes: number, divides: boolean): number {
  const most = Math.min(count, Math.floor(WINDOW_BYTES / itemBytes));
  let [best, fewest, bestDivides] = [0, Infinity, false];
  for (let n = most; n >= Math.max(1, most / 2); n--) {
    const aligned = greatestCommonDivisor(n * itemBytes, SLICE_ALIGNMENT);
    const places = SLICE_ALIGNMENT / Math.min(aligned, greatestCommonDivisor(n * writtenBytes, SLICE_ALIGNMENT));
    const fits = n * itemBytes + SLICE_ALIGNMENT - aligned <= WINDOW_BYTES;
    const whole = divides && count % n === 0;
    if (fits && (whole === bestDivides ? places < fewest : whole)) [best, fewest, bestDivides] = [n, places, whole];
  }
  return best;
}

/** Returns the shares of a window. `stride`: numbers from a block to the next. */
function sharesOfWindow({ along, rows, blocks, columns, step, whole, splits, stride }: {
  readonly along: boolean;
  readonly rows: number;
  readonly blocks: number;
  readonly columns: number;
  readonly step: 4 | 8;
  readonly whole: boolean;
  readonly splits: number;
  readonly stride: number;
}): ReduceShares {
  const known = { elements: blocks * rows * columns, pairs: step === 8, together: 1 };
  const view = (size: number, stride: number) => ({ sizes: [size], strides: [stride], offset: 0 });
  if (along) {
    const { terms, ragged } = whole ? { terms: columns / step, ragged: null } : raggedTerms(columns, step);
    const [unit, term] = [view(rows, whole ? columns / step : columns), view(terms, 1)];
    return shares({ ...known, mode: "rows", outputs: rows, units: rows, terms, ragged, unit, term, splits });
  }
  const lines = Math.ceil(columns / step);
  /** Returns the view of `count` items of a row of each block, `step` apart. */
  const inBlocks = (count: number, step: number, stride: number) =>
    blocks === 1
      ? view(count, step)
      : count === 1
      ? view(blocks, stride)
      : { sizes: [blocks, count], strides: [stride, step], offset: 0 };
  const columnwise = { ...known, outputs: columns, units: blocks * lines, terms: rows, splits };
  if (whole) {
    return shares({ ...columnwise, mode: "columns", unit: inBlocks(lines, 1, stride / step), term: view(rows, lines) });
  }
  const term = view(rows, columns);
  return step === 8
    ? shares({ ...columnwise, mode: "columns", loose: true, unit: inBlocks(lines, step, stride), term })
    : shares({
      ...columnwise,
      mode: "single",
      // Surplus columns are those of other rows; their results are never read
      outputs: blocks === 1 ? columns : blocks * lines * step,
      unit: inBlocks(blocks === 1 ? columns : lines * step, 1, stride),
      term,
    });
}
