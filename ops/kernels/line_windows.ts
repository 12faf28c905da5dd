/**
 * Division of the lines of images into blocks, for kernels that read windows of images as uniforms (`windows.ts`) although
 * an image is larger than a window. The window of a block also holds the lines around the block that its kernel sees, so
 * that the windows of neighbouring blocks overlap.
 *
 * @module
 */
import { roundUp } from "../../runtime/core/round_up.ts";
import { WINDOW_BYTES } from "../../runtime/device/kernel.ts";
import { SLICE_ALIGNMENT } from "./windows.ts";

/** Lines of an image that none exceeds, for blocks whose lines need no test. Its number of pixels is below 2^32. */
export const MOST_LINES = 1 << 16;

/** Maximum number of kernels that differ in where their lines begin. */
const MOST_KERNELS = 64;

/** A tensor of images of which each dispatch reads some lines. */
export interface LineRead {
  /** Lines of an image, and bytes of a line. */
  readonly extent: number;
  readonly line: number;
  /** Lines between those that neighbouring lines of a block see. */
  readonly stride: number;
  /** Lines from the block's first line times the stride to the window's first; negative with padding. */
  readonly from: number;
  /** Lines of a window beyond those of the block. */
  readonly halo: number;
}

/** Byte ranges that blocks write. */
export interface LineWrite {
  /** Returns the offset of the block that begins at line `first`; `block` counts the blocks of all images. */
  start(image: number, first: number, block: number): number;
  /** Returns the size of what a block of this many lines writes. */
  size(lines: number): number;
}

/** Blocks that share a kernel. */
export interface LineBlock {
  /** Lines of a block. */
  readonly lines: number;
  /** Number of the block's first line, or null if all lines that it sees are inside of the images. */
  readonly first: number | null;
  /** Bytes from the start of each tensor's window to the first line in it, negative before the first image. */
  readonly shifts: readonly number[];
  /** Bytes from the start of the written window to its first line, and the bytes that a dispatch binds. */
  readonly place: number;
  readonly written: number;
  /** Offsets of the windows, for each dispatch. */
  readonly slices: readonly { readonly reads: readonly number[]; readonly written: number }[];
}

export interface LineBlocks {
  readonly blocks: readonly LineBlock[];
  /** Bytes of the windows of each tensor that is read. */
  readonly windows: readonly number[];
  readonly dispatches: number;
}

/**
 * Divides `count` lines of each of `batch` images into blocks. Returns null if a line is too large for a window, or if too
 * many kernels would differ.
 */
export function lineBlocks(
  batch: number,
  count: number,
  reads: readonly LineRead[],
  write: LineWrite,
): LineBlocks | null {
  const lines = linesPerBlock(count, reads);
  if (lines === 0) return null;
  const totals = reads.map(({ extent, line }) => roundUp(batch * extent * line, 16));
  // The last window ends with the tensor and begins at an aligned offset
  const windows = totals.map((total) =>
    total <= WINDOW_BYTES ? total : WINDOW_BYTES - (WINDOW_BYTES - total % SLICE_ALIGNMENT) % SLICE_ALIGNMENT
  );
  let dispatches = 0;
  const groups = new Map<string, LineBlock & { slices: LineBlock["slices"][number][] }>();
  for (let image = 0; image < batch; image++) {
    for (let first = 0; first < count; first += lines) {
      const own = Math.min(lines, count - first);
      const offsets = reads.map(({ extent, line, stride, from }, n) => {
        const start = (image * extent + first * stride + from) * line;
        const offset = Math.max(0, Math.min(aligned(start), totals[n]! - windows[n]!));
        return { offset, shift: start - offset };
      });
      const start = write.start(image, first, dispatches++);
      const place = start - aligned(start);
      const block = {
        lines: own,
        first: reads.every((read) => isInside(read, first, own)) ? null : first,
        shifts: offsets.map(({ shift }) => shift),
        place,
        written: place + write.size(own),
      };
      const key = JSON.stringify(block);
      const group = groups.get(key) ?? { ...block, slices: [] };
      group.slices.push({ reads: offsets.map(({ offset }) => offset), written: start - place });
      groups.set(key, group);
    }
  }
  if (groups.size > MOST_KERNELS) return null;
  return { blocks: [...groups.values()], windows, dispatches };
}

/** Returns the lines of a block, of which the last of an image may have fewer; 0 if a line is too large for a window. */
export function linesPerBlock(count: number, reads: readonly LineRead[]): number {
  const most = Math.min(count, ...reads.map(mostLines));
  return most < 1 ? 0 : Math.ceil(count / Math.ceil(count / most));
}

function aligned(bytes: number): number {
  return Math.floor(bytes / SLICE_ALIGNMENT) * SLICE_ALIGNMENT;
}

/** Returns the number of lines whose windows have room, wherever the first of them and the tensor's end are. */
function mostLines({ line, stride, halo }: LineRead): number {
  const room = line % SLICE_ALIGNMENT === 0 ? WINDOW_BYTES : WINDOW_BYTES - 2 * SLICE_ALIGNMENT;
  return Math.floor((Math.floor(room / line) - halo - 1) / stride) + 1;
}

/** Returns true if all lines that a block sees are inside of the image. */
function isInside({ extent, stride, from, halo }: LineRead, first: number, lines: number): boolean {
  const start = first * stride + from;
  return start >= 0 && start + (lines - 1) * stride + halo < extent;
}
