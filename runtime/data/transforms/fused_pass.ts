/**
 * One pass over an image that crops, flips, scales and changes the layout at once, from its source straight to its
 * place in the batch.
 *
 * @module
 */
import type { Layout } from "../../core/layout.ts";
import type { Action, SampleType } from "./transform.ts";
import type { PixelWindow } from "./window.ts";

type Scale = Extract<Action, { act: "scale" }>;

/** Copies the window's pixels out of `source`, whose first plane begins at `offset`, to `out` at `outOffset`. */
export type CopyPass = (
  window: PixelWindow,
  source: Uint8Array | Float32Array,
  offset: number,
  out: Float32Array,
  outOffset: number,
) => void;

/**
 * The pass from `input` to f32 samples in `layout`. u8 pixels are divided by 255 and then scaled, through a table of
 * 256 results per channel; f32 values are scaled as they are.
 */
export function fusedPass(input: SampleType, scale: Scale | null, layout: Layout): CopyPass {
  const mean = scale?.mean ?? new Array<number>(input.channels).fill(0);
  const std = scale?.std ?? new Array<number>(input.channels).fill(1);
  const table = input.dtype === "u8" ? scaleTable(mean, std) : null;
  return (window, source, offset, out, outOffset) => {
    const { height, width } = window;
    const pixelStep = layout === "nhwc" ? input.channels : 1;
    const planeStep = layout === "nhwc" ? 1 : height * width;
    // Result rows [yBegin, yEnd) and columns [xBegin, xEnd) that the source covers.
    const yBegin = clamp(window.y0 - window.top, height);
    const yEnd = Math.max(yBegin, clamp(window.y1 - window.top, height));
    const [first, last] = window.step === 1
      ? [window.x0 - window.left, window.x1 - window.left]
      : [window.left - window.x1 + 1, window.left - window.x0 + 1];
    const xBegin = clamp(first, width);
    const xEnd = Math.max(xBegin, clamp(last, width));
    // Not `xBegin * step`: that can be -0, which is no integer to the compiler and makes the loops 4 times slower.
    const firstColumn = window.step === 1 ? window.left + xBegin : window.left - xBegin;
    for (let c = 0; c < input.channels; c++) {
      const m = mean[c]!;
      const s = std[c]!;
      const zero = table === null ? (0 - m) / s : table[c << 8]!;
      const plane = offset + c * input.height * input.width;
      for (let y = 0; y < height; y++) {
        const row = outOffset + c * planeStep + y * width * pixelStep;
        if (y < yBegin || y >= yEnd) {
          fill(out, row, pixelStep, width, zero);
          continue;
        }
        fill(out, row, pixelStep, xBegin, zero);
        fill(out, row + xEnd * pixelStep, pixelStep, width - xEnd, zero);
        const from = plane + (window.top + y) * input.width + firstColumn;
        const to = row + xBegin * pixelStep;
        if (table !== null) {
          copyThroughTable(source, from, window.step, table, c << 8, out, to, pixelStep, xEnd - xBegin);
        } else {
          copyScaled(source, from, window.step, m, s, out, to, pixelStep, xEnd - xBegin);
        }
      }
    }
  };
}

function clamp(x: number, limit: number): number {
  return x < 0 ? 0 : x > limit ? limit : x;
}

/** Entry 256 c + x is the scaled value of pixel x in channel c. */
function scaleTable(mean: readonly number[], std: readonly number[]): Float32Array {
  return Float32Array.from({ length: 256 * mean.length }, (_, i) => {
    const channel = i >> 8;
    return ((i & 255) / 255 - mean[channel]!) / std[channel]!;
  });
}

function fill(out: Float32Array, to: number, step: number, count: number, value: number): void {
  for (let i = 0; i < count; i++) {
    out[to] = value;
    to += step;
  }
}

function copyThroughTable(
  source: Uint8Array | Float32Array,
  from: number,
  step: number,
  table: Float32Array,
  base: number,
  out: Float32Array,
  to: number,
  outStep: number,
  count: number,
): void {
  for (let i = 0; i < count; i++) {
    out[to] = table[base + source[from]!]!;
    to += outStep;
    from += step;
  }
}

function copyScaled(
  source: Uint8Array | Float32Array,
  from: number,
  step: number,
  mean: number,
  std: number,
  out: Float32Array,
  to: number,
  outStep: number,
  count: number,
): void {
  for (let i = 0; i < count; i++) {
    out[to] = (source[from]! - mean) / std;
    to += outStep;
    from += step;
  }
}
