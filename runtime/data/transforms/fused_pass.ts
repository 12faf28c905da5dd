/**
 * One pass over an image that crops, flips, resizes, cuts out, scales and changes type and order at once, straight from
 * the source to the result.
 *
 * @module
 */
import { RandomStream } from "../../core/random.ts";
import { compose, tableOf, zerosOf } from "./points.ts";
import { Resampler, type Strides } from "./resampler.ts";
import type { Action, Order, Pixels, Point, SampleType } from "./transform.ts";
import { PixelWindow } from "./window.ts";

type Resample = Extract<Action, { act: "resample" }>;

/** A transform's move of the window, with the key of its random draws. */
export interface Move {
  readonly key: number;
  readonly move: (window: PixelWindow, random: RandomStream) => void;
  /** Number of the pass's points before it. */
  readonly level: number;
}

/** Operations of a pass, in order: moves, a resize, more moves. Points commute with them. */
export interface PassPlan {
  readonly input: SampleType;
  readonly before: readonly Move[];
  readonly resample: (Resample & { readonly key: number }) | null;
  readonly after: readonly Move[];
  readonly points: readonly Point[];
  readonly order: Order;
}

/** Copies the values of a row from source to result. */
type Copy = (
  from: ArrayLike<number>,
  at: number,
  step: number,
  channel: number,
  out: Uint8Array | Float32Array,
  outAt: number,
  outStep: number,
  count: number,
) => void;

export class FusedPass {
  readonly #plan: PassPlan;
  readonly #copy: Copy;
  readonly #zeros: Float32Array;
  readonly #resampler: Resampler | null;
  /** Window of the source to read. */
  readonly #source = new PixelWindow();
  /** Window of the result, in the source or in the resized image. */
  readonly #result = new PixelWindow();
  #sourceHeight = 0;
  #sourceWidth = 0;
  #resized: readonly [number, number] = [0, 0];

  constructor(plan: PassPlan) {
    const { input, points, resample } = plan;
    this.#plan = plan;
    this.#copy = copyOf(input, points, resample !== null);
    this.#zeros = zerosOf(points, input.channels);
    this.#resampler = resample === null ? null : new Resampler(resample.antialias, input.channels);
  }

  /** Height of the result, after `place`. */
  get height(): number {
    return this.#result.height;
  }

  /** Width of the result, after `place`. */
  get width(): number {
    return this.#result.width;
  }

  /** Draws the windows of a sample. Draws depend only on (seed, epoch, sample). */
  place(source: Pixels, epoch: number, sample: number): void {
    const { input, before, resample, after } = this.#plan;
    this.#sourceHeight = source.height ?? input.height!;
    this.#sourceWidth = source.width ?? input.width!;
    const result = this.#result;
    if (resample === null) {
      result.reset(this.#sourceHeight, this.#sourceWidth);
    } else {
      const read = this.#source;
      read.reset(this.#sourceHeight, this.#sourceWidth);
      for (const { key, move } of before) move(read, new RandomStream(key, epoch, sample));
      resample.move?.(read, new RandomStream(resample.key, epoch, sample));
      this.#resized = resample.size(read.height, read.width);
      result.reset(this.#resized[0], this.#resized[1]);
    }
    for (const { key, move, level } of after) {
      result.level = level;
      move(result, new RandomStream(key, epoch, sample));
    }
  }

  /** Writes the last placed sample to `out` at `outAt`. */
  write(source: Pixels, out: Uint8Array | Float32Array, outAt: number): void {
    const { input, order } = this.#plan;
    const { channels } = input;
    const window = this.#result;
    const { height, width } = window;
    const pixelStep = order === "hwc" ? channels : 1;
    const planeStep = order === "hwc" ? 1 : height * width;
    const strides = this.#strides(source);
    // Result rows [yBegin, yEnd) and columns [xBegin, xEnd) that the source covers
    const yBegin = clamp(window.y0 - window.top, height);
    const yEnd = Math.max(yBegin, clamp(window.y1 - window.top, height));
    const [first, last] = window.step === 1
      ? [window.x0 - window.left, window.x1 - window.left]
      : [window.left - window.x1 + 1, window.left - window.x0 + 1];
    const xBegin = clamp(first, width);
    const xEnd = Math.max(xBegin, clamp(last, width));
    // `xBegin * step` can be -0, which the compiler does not treat as an integer: the loops become 4 times slower
    const firstColumn = window.step === 1 ? window.left + xBegin : window.left - xBegin;
    const covered = xEnd - xBegin;

    const resampler = covered > 0 && yEnd > yBegin ? this.#resampler : null;
    if (resampler !== null) {
      const low = window.step === 1 ? firstColumn : firstColumn - covered + 1;
      resampler.begin(source, strides, this.#source, ...this.#resized, low, low + covered);
      const step = window.step === 1 ? channels : -channels;
      const at = window.step === 1 ? 0 : (covered - 1) * channels;
      for (let y = yBegin; y < yEnd; y++) {
        resampler.row(window.top + y);
        for (let c = 0; c < channels; c++) {
          const to = outAt + c * planeStep + (y * width + xBegin) * pixelStep;
          this.#copy(resampler.line, at + c, step, c, out, to, pixelStep, covered);
        }
      }
    } else if (this.#resampler === null) {
      const step = window.step === 1 ? strides.pixel : -strides.pixel;
      for (let c = 0; c < channels; c++) {
        const plane = source.offset + c * strides.plane + firstColumn * strides.pixel;
        const to = outAt + c * planeStep + xBegin * pixelStep;
        for (let y = yBegin; y < yEnd; y++) {
          const from = plane + (window.top + y) * strides.row;
          this.#copy(source.data, from, step, c, out, to + y * width * pixelStep, pixelStep, covered);
        }
      }
    }
    this.#fillEdges(out, outAt, pixelStep, planeStep, yBegin, yEnd, xBegin, xEnd);
    if (window.holes.length > 0) this.#fillHoles(out, outAt, pixelStep, planeStep);
  }

  #strides({ step }: Pixels): Strides {
    const [height, width] = [this.#sourceHeight, this.#sourceWidth];
    const { order, channels } = this.#plan.input;
    if (order === "chw") return { pixel: 1, row: width, plane: height * width };
    const pixel = step ?? channels;
    return { pixel, row: width * pixel, plane: 1 };
  }

  #fillEdges(
    out: Uint8Array | Float32Array,
    outAt: number,
    pixelStep: number,
    planeStep: number,
    yBegin: number,
    yEnd: number,
    xBegin: number,
    xEnd: number,
  ): void {
    const { height, width } = this.#result;
    if (yBegin === 0 && yEnd === height && xBegin === 0 && xEnd === width) return;
    for (let c = 0; c < this.#plan.input.channels; c++) {
      const zero = this.#zeros[c]!;
      for (let y = 0; y < height; y++) {
        const row = outAt + c * planeStep + y * width * pixelStep;
        if (y < yBegin || y >= yEnd) {
          fill(out, row, pixelStep, width, zero);
        } else {
          fill(out, row, pixelStep, xBegin, zero);
          fill(out, row + xEnd * pixelStep, pixelStep, width - xEnd, zero);
        }
      }
    }
  }

  #fillHoles(out: Uint8Array | Float32Array, outAt: number, pixelStep: number, planeStep: number): void {
    const { height, width, holes } = this.#result;
    const { channels } = this.#plan.input;
    for (const hole of holes) {
      const [x0, x1] = [clamp(hole.x0, width), clamp(hole.x1, width)];
      for (let c = 0; c < channels; c++) {
        const zero = this.#zeros[hole.level * channels + c]!;
        for (let y = clamp(hole.y0, height); y < clamp(hole.y1, height); y++) {
          fill(out, outAt + c * planeStep + (y * width + x0) * pixelStep, pixelStep, x1 - x0, zero);
        }
      }
    }
  }
}

function clamp(x: number, limit: number): number {
  return x < 0 ? 0 : x > limit ? limit : x;
}

function fill(out: Uint8Array | Float32Array, to: number, step: number, count: number, value: number): void {
  for (let i = 0; i < count; i++) {
    out[to] = value;
    to += step;
  }
}

/** Returns the copy loop. Each kind of source has a separate one, so that the compiler sees one type in each. */
function copyOf(input: SampleType, points: readonly Point[], resized: boolean): Copy {
  if (points.length === 0 && input.dtype === "u8") return resized ? copyLine : copyBytes;
  if (points.length === 0) return resized ? copyFloatLine : copyFloats;
  if (input.dtype === "f32") {
    const functions = Array.from({ length: input.channels }, (_, c) => compose(points, c));
    return (from, at, step, channel, out, outAt, outStep, count) => {
      const f = functions[channel]!;
      for (let i = 0; i < count; i++) {
        out[outAt] = f(from[at]!);
        outAt += outStep;
        at += step;
      }
    };
  }
  const table = tableOf(points, input.channels);
  const copy = resized ? lineThroughTable : copyThroughTable;
  return (from, at, step, channel, out, outAt, outStep, count) =>
    copy(from, at, step, table, channel << 8, out, outAt, outStep, count);
}

const copyBytes: Copy = (from, at, step, _channel, out, outAt, outStep, count) => {
  for (let i = 0; i < count; i++) {
    out[outAt] = from[at]!;
    outAt += outStep;
    at += step;
  }
};

const copyFloats: Copy = (from, at, step, _channel, out, outAt, outStep, count) => {
  for (let i = 0; i < count; i++) {
    out[outAt] = from[at]!;
    outAt += outStep;
    at += step;
  }
};

const copyLine: Copy = (from, at, step, _channel, out, outAt, outStep, count) => {
  for (let i = 0; i < count; i++) {
    out[outAt] = from[at]!;
    outAt += outStep;
    at += step;
  }
};

const copyFloatLine: Copy = (from, at, step, _channel, out, outAt, outStep, count) => {
  for (let i = 0; i < count; i++) {
    out[outAt] = from[at]!;
    outAt += outStep;
    at += step;
  }
};

function copyThroughTable(
  from: ArrayLike<number>,
  at: number,
  step: number,
  table: Float32Array,
  base: number,
  out: Uint8Array | Float32Array,
  outAt: number,
  outStep: number,
  count: number,
): void {
  for (let i = 0; i < count; i++) {
    out[outAt] = table[base + from[at]!]!;
    outAt += outStep;
    at += step;
  }
}

function lineThroughTable(
  from: ArrayLike<number>,
  at: number,
  step: number,
  table: Float32Array,
  base: number,
  out: Uint8Array | Float32Array,
  outAt: number,
  outStep: number,
  count: number,
): void {
  for (let i = 0; i < count; i++) {
    out[outAt] = table[base + from[at]!]!;
    outAt += outStep;
    at += step;
  }
}
