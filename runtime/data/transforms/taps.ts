/** Which values of a line make each value of a line of another length, and how much each counts. */
export interface Taps {
  readonly input: number;
  readonly output: number;
  /** The first value that counts for each result, and how many do. */
  readonly first: Int32Array;
  readonly count: Int32Array;
  /** `most` weights for each result; they sum to 1. */
  readonly weights: Float64Array;
  readonly most: number;
}

/**
 * Bilinear: value j counts for result i by how near their centres are, `1 - |d|` with d in pixels of the input. With
 * antialias d is in pixels of the output when that is smaller, so that every value counts (as Pillow and torchvision do).
 */
export function bilinearTaps(input: number, output: number, antialias: boolean): Taps {
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
