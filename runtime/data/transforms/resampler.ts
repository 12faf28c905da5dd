import { toByte } from "./points.ts";
import { bilinearTaps, type Taps } from "./taps.ts";
import type { Pixels } from "./transform.ts";
import type { PixelWindow } from "./window.ts";

/** Distances in a source from a value to the same value of the next pixel, row and channel. */
export interface Strides {
  readonly pixel: number;
  readonly row: number;
  readonly plane: number;
}

/**
 * Makes the rows of a resized window one at a time: resizes along the columns (kept as f32), then along the rows. Rows
 * must be requested from top to bottom.
 */
export class Resampler {
  /** Columns [from, to) of the last requested row: `channels` values each, rounded to bytes for a u8 source. */
  line: Float64Array = new Float64Array(0);
  readonly #antialias: boolean;
  readonly #channels: number;
  #columns: Taps | null = null;
  #rows: Taps | null = null;
  /** Source rows resized along the columns; row r lies at place `r % most`. */
  #cache: Float32Array = new Float32Array(0);
  #cached: Int32Array = new Int32Array(0);
  #window!: PixelWindow;
  #source!: Pixels;
  #strides!: Strides;
  #from = 0;
  #to = 0;

  constructor(antialias: boolean, channels: number) {
    this.#antialias = antialias;
    this.#channels = channels;
  }

  /** Starts to resize the window of `source` to `height` x `width`, for columns [from, to). */
  begin(
    source: Pixels,
    strides: Strides,
    window: PixelWindow,
    height: number,
    width: number,
    from: number,
    to: number,
  ): void {
    this.#source = source;
    this.#strides = strides;
    this.#window = window;
    this.#from = from;
    this.#to = to;
    this.#columns = this.#taps(this.#columns, window.width, width);
    this.#rows = this.#taps(this.#rows, window.height, height);
    const length = (to - from) * this.#channels;
    const { most } = this.#rows;
    if (this.line.length < length) this.line = new Float64Array(length);
    if (this.#cache.length < most * length) this.#cache = new Float32Array(most * length);
    if (this.#cached.length < most) this.#cached = new Int32Array(most);
    this.#cached.fill(-1);
  }

  /** Puts row y of the result in `line`. */
  row(y: number): void {
    const { first, count, weights, most } = this.#rows!;
    const length = (this.#to - this.#from) * this.#channels;
    const [cache, line] = [this.#cache, this.line];
    line.fill(0, 0, length);
    for (let k = 0; k < count[y]!; k++) {
      const row = first[y]! + k;
      const place = row % most;
      if (this.#cached[place] !== row) {
        this.#resizeRow(row, place * length);
        this.#cached[place] = row;
      }
      addScaled(cache, place * length, weights[y * most + k]!, line, length);
    }
    if (this.#source.data instanceof Uint8Array) {
      for (let i = 0; i < length; i++) line[i] = toByte(line[i]!);
    } else {
      for (let i = 0; i < length; i++) line[i] = Math.fround(line[i]!);
    }
  }

  /** Resizes row `row` of the window along the columns, into the cache at `at`. */
  #resizeRow(row: number, at: number): void {
    const { data, offset } = this.#source;
    const { pixel, row: rowStep, plane } = this.#strides;
    const { first, count, weights, most } = this.#columns!;
    const { top, left, step } = this.#window;
    const cache = this.#cache;
    const channels = this.#channels;
    const begin = offset + (top + row) * rowStep + left * pixel;
    const hop = step === 1 ? pixel : -pixel;
    for (let x = this.#from; x < this.#to; x++) {
      const start = begin + first[x]! * hop;
      const taps = count[x]!;
      if (channels === 3) {
        // The same sums for three channels in one loop
        let [red, green, blue] = [0, 0, 0];
        for (let k = 0, w = x * most, from = start; k < taps; k++, w++) {
          const weight = weights[w]!;
          red += weight * data[from]!;
          green += weight * data[from + plane]!;
          blue += weight * data[from + 2 * plane]!;
          from += hop;
        }
        cache[at] = red;
        cache[at + 1] = green;
        cache[at + 2] = blue;
        at += 3;
        continue;
      }
      for (let c = 0; c < channels; c++) {
        let from = start + c * plane;
        let sum = 0;
        for (let k = 0, w = x * most; k < taps; k++, w++) {
          sum += weights[w]! * data[from]!;
          from += hop;
        }
        cache[at++] = sum;
      }
    }
  }

  #taps(known: Taps | null, input: number, output: number): Taps {
    return known !== null && known.input === input && known.output === output
      ? known
      : bilinearTaps(input, output, this.#antialias);
  }
}

function addScaled(from: Float32Array, at: number, factor: number, to: Float64Array, count: number): void {
  for (let i = 0; i < count; i++) to[i]! += factor * from[at + i]!;
}
