import type { Pixels } from "./transform.ts";
import type { PixelWindow } from "./window.ts";

/** Weights that resample a line of values to another length. */
interface Taps {
  readonly input: number;
  readonly output: number;
  /** First contributing value of each result, and number of contributing values. */
  readonly first: Int32Array;
  readonly count: Int32Array;
  /** `most` weights for each result; they sum to 1. */
  readonly weights: Float64Array;
  /** Room for the weights of one result. */
  readonly most: number;
}

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
  /** Columns [from, to) of the last requested row: `channels` values each, bytes for a u8 source. */
  line: Uint8Array | Float64Array = new Uint8Array(0);
  readonly #antialias: boolean;
  readonly #channels: number;
  #columns: Taps | null = null;
  #rows: Taps | null = null;
  /** Source rows resized along the columns; row r lies at place `r % most`. */
  #cache: Float32Array = new Float32Array(0);
  #cached: Int32Array = new Int32Array(0);
  /** Places in the cache of the rows that contribute to the requested one. */
  #places: Int32Array = new Int32Array(0);
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
    const isBytes = source.data instanceof Uint8Array;
    if (this.line.length < length || this.line instanceof Uint8Array !== isBytes) {
      this.line = isBytes ? new Uint8Array(length) : new Float64Array(length);
    }
    if (this.#cache.length < most * length) this.#cache = new Float32Array(most * length);
    if (this.#cached.length < most) {
      this.#cached = new Int32Array(most);
      this.#places = new Int32Array(Math.max(most, UNROLLED));
    }
    this.#cached.fill(-1);
  }

  /** Puts row y of the result in `line`. */
  row(y: number): void {
    const { first, count, weights, most } = this.#rows!;
    const length = (this.#to - this.#from) * this.#channels;
    const [cache, line, places] = [this.#cache, this.line, this.#places];
    const taps = count[y]!;
    for (let k = 0; k < taps; k++) {
      const row = first[y]! + k;
      const place = row % most;
      places[k] = place * length;
      if (this.#cached[place] === row) continue;
      this.#resizeRow(row, place * length);
      this.#cached[place] = row;
    }
    places.fill(places[0]!, taps);
    if (line instanceof Uint8Array) sumBytes(cache, places, weights, y * most, taps, line, length);
    else sumFloats(cache, places, weights, y * most, taps, line, length);
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
        // The same sums for three channels in one loop. Destructured from a list, the compiler would allocate each sum
        let red = 0;
        let green = 0;
        let blue = 0;
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

/** Number of rows that {@linkcode sumBytes} adds in one expression. */
const UNROLLED = 4;

/**
 * Writes the weighted sums of rows of the cache, rounded to bytes, halves up. The sums of weighted bytes are within the
 * range of bytes, since weights are not negative and sum to 1.
 */
function sumBytes(
  cache: Float32Array,
  places: Int32Array,
  weights: Float64Array,
  at: number,
  taps: number,
  line: Uint8Array,
  length: number,
): void {
  if (taps > UNROLLED) {
    for (let i = 0; i < length; i++) {
      let sum = 0;
      for (let k = 0; k < taps; k++) sum += weights[at + k]! * cache[places[k]! + i]!;
      line[i] = sum + 0.5 | 0;
    }
    return;
  }
  // Missing rows have weight 0
  const u = weights[at]!;
  const v = taps > 1 ? weights[at + 1]! : 0;
  const w = taps > 2 ? weights[at + 2]! : 0;
  const x = taps > 3 ? weights[at + 3]! : 0;
  const [a, b, c, d] = [places[0]!, places[1]!, places[2]!, places[3]!];
  if (taps <= 2) { for (let i = 0; i < length; i++) line[i] = u * cache[a + i]! + v * cache[b + i]! + 0.5 | 0; }
  else {
    for (let i = 0; i < length; i++) {
      line[i] = u * cache[a + i]! + v * cache[b + i]! + w * cache[c + i]! + x * cache[d + i]! + 0.5 | 0;
    }
  }
}

/** Writes the weighted sums of rows of the cache, as f32. */
function sumFloats(
  cache: Float32Array,
  places: Int32Array,
  weights: Float64Array,
  at: number,
  taps: number,
  line: Float64Array,
  length: number,
): void {
  line.fill(0, 0, length);
  for (let k = 0; k < taps; k++) {
    const [weight, place] = [weights[at + k]!, places[k]!];
    for (let i = 0; i < length; i++) line[i]! += weight * cache[place + i]!;
  }
  for (let i = 0; i < length; i++) line[i] = Math.fround(line[i]!);
}

/**
 * Computes bilinear weights: value j contributes `1 - |d|` to result i, with d the distance of their centres in input
 * pixels. With antialias, a line that shrinks measures d in output pixels, so that every value contributes, as in Pillow
 * and torchvision.
 */
function bilinearTaps(input: number, output: number, antialias: boolean): Taps {
  const scale = input / output;
  const reach = antialias ? Math.max(1, scale) : 1;
  const most = Math.ceil(2 * reach) + 1;
  const first = new Int32Array(output);
  const count = new Int32Array(output);
  const weights = new Float64Array(output * most);
  for (let i = 0; i < output; i++) {
    const centre = (i + 0.5) * scale;
    const low = Math.max(0, Math.floor(centre - reach + 0.5));
    const high = Math.min(input, Math.floor(centre + reach + 0.5));
    let sum = 0;
    for (let j = low; j < high; j++) {
      const weight = Math.max(0, 1 - Math.abs(j + 0.5 - centre) / reach);
      weights[i * most + j - low] = weight;
      sum += weight;
    }
    first[i] = low;
    count[i] = high - low;
    for (let j = low; j < high; j++) weights[i * most + j - low]! /= sum;
    while (count[i]! > 1 && weights[i * most + count[i]! - 1] === 0) count[i]!--;
  }
  return { input, output, first, count, weights, most };
}
