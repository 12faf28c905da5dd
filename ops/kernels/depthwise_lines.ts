/**
 * Parts of depthwise convolutions that read lines of images as uniforms (`line_windows.ts`): all kernel rows read one window,
 * or each row its own, which holds more lines of results, so that there are fewer dispatches.
 *
 * @module
 */
import type { FloatType } from "../../runtime/core/dtype.ts";
import type { BufferDeclaration } from "../../runtime/device/kernel.ts";
import type { ConvAxis } from "./conv_axis.ts";
import type { FloatBuffer } from "./float_buffer.ts";
import type { LineBlock, LineRead } from "./line_windows.ts";
import { unroll } from "./unroll.ts";
import { bytesOfNumbers, windowOf, windowReader } from "./windows.ts";

/** Returns an axis whose taps follow the source pixels that they read, so that both directions share shaders. */
export function ascending(axis: ConvAxis): ConvAxis {
  const { start, spacing, taps, firstTap, tapStep } = axis;
  if (spacing >= 0) return axis;
  const last = taps - 1;
  return {
    ...axis,
    start: start + last * spacing,
    spacing: -spacing,
    firstTap: firstTap + last * tapStep,
    tapStep: -tapStep,
  };
}

/** Maximum number of kernel rows that have windows of their own. */
const MOST_ROWS = 5;

/**
 * Returns the blocks of one window for all kernel rows, or those of a window for each row if these are less than half as
 * many. The code is longer with more windows.
 */
export function fewestDispatches<B extends { readonly dispatches: number }>(
  { taps }: ConvAxis,
  blocksOf: (windows: number) => B | null,
): B | null {
  const one = blocksOf(1);
  const each = taps > MOST_ROWS || taps === 1 ? null : blocksOf(taps);
  return one === null || each !== null && 2 * each.dispatches < one.dispatches ? each : one;
}

/** Returns the lines that the windows of a block hold; `windows` is 1 or the number of taps, each of which has a window. */
export function rowReads({ sourceExtent, stride, start, spacing, taps }: ConvAxis, windows: number, line: number) {
  return Array.from({ length: windows }, (_, w): LineRead => ({
    extent: sourceExtent,
    line,
    stride,
    from: start + w * spacing,
    halo: windows === 1 ? (taps - 1) * spacing : 0,
  }));
}

/** Returns the declarations of the windows, named `name` and their number. */
export function rowWindows(name: string, source: FloatBuffer, windows: number, bytes: number) {
  return Object.fromEntries(
    Array.from({ length: windows }, (_, w): [string, BufferDeclaration] => [`${name}${w}`, windowOf(source, bytes)]),
  );
}

/** Returns WGSL for functions `NAME0At` and so on, which read four numbers of a window. */
export function rowReaders(name: string, dtype: FloatType, windows: number): string {
  return Array.from({ length: windows }, (_, w) => windowReader(`${name}${w}`, dtype, 4)).join("\n");
}

/** Returns the offsets of the windows of a dispatch. */
export function rowSlice(name: string, offsets: readonly number[]) {
  return Object.fromEntries(offsets.map((offset, w) => [`${name}${w}`, offset]));
}

/**
 * Returns uniforms that locate a tap's line in its window and tell if it is inside of the image. Lines of inner blocks need
 * no test.
 *
 * @param shifts bytes from the start of the windows to the first lines of the block in them
 */
export function rowUniforms(
  { start, stride, spacing, sourceExtent, taps }: ConvAxis,
  first: LineBlock["first"],
  shifts: readonly number[],
  lineNumbers: number,
  dtype: FloatType,
) {
  const from = first === null ? 0 : first * stride + start;
  return {
    startY: { i32: from },
    limitY: first === null ? 0x7fffffff : sourceExtent,
    strideY: stride,
    spacingY: { i32: spacing },
    tapsY: taps,
    ...Object.fromEntries(shifts.map((shift, w) => {
      const bytes = shift - bytesOfNumbers((from + w * spacing) * lineNumbers, dtype);
      return [`shift${w}`, { i32: bytes / bytesOfNumbers(4, dtype) }];
    })),
  };
}

/** Taps of a kernel row along a line. */
export type Taps = Pick<ConvAxis, "taps" | "stride" | "spacing">;

/** Returns the number of steps from a target pixel's first source pixel to its last. */
export function reachOf({ taps, stride, spacing }: Taps): number {
  return Math.floor((taps - 1) * spacing / stride);
}

/** Returns WGSL for `line` and `limit` of each kernel row: the place of its source line, and the end of its pixels. */
export function findLines(windows: number, rows: number): string {
  return unroll(rows, (ty) =>
    `let iy${ty} = u32(sourceY + ${ty} * u.spacingY);
let limit${ty} = select(0u, u.sourceX, iy${ty} < u.limitY);
let line${ty} = iy${ty} * u.lineY + u32(u.shift${windows === 1 ? 0 : ty}) + vector;`);
}

/**
 * Returns WGSL for a step along a line: reads `stride` neighbouring source pixels of each kernel row, and runs `use` on each
 * with its kernel row, its tap and the number of steps since the first pixel of the target pixel that sees it through the
 * tap. Needs the variables of {@linkcode findLines} and `sourceX`, the first of the source pixels.
 */
export function readStep(
  name: string,
  windows: number,
  rows: number,
  { taps, stride, spacing }: Taps,
  use: (a: string, ty: number, tap: number, steps: number) => string,
): string {
  return unroll(stride, (r) => {
    const users = Array.from({ length: taps }, (_, tap) => ({ tap, steps: (tap * spacing - r) / stride }))
      .filter(({ steps }) => Number.isInteger(steps));
    if (users.length === 0) return "";
    return `let x${r} = u32(sourceX + ${r});
${
      unroll(rows, (ty) =>
        `let in${r}_${ty} = x${r} < limit${ty};
let a${r}_${ty} = select(vec4<f32>(), ${name}${
          windows === 1 ? 0 : ty
        }At(select(0u, line${ty} + x${r} * u.vectors, in${r}_${ty})), in${r}_${ty});
${users.map(({ tap, steps }) => use(`a${r}_${ty}`, ty, tap, steps)).join("\n")}`)
    }`;
  });
}
