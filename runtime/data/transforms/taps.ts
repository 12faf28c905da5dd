/** Weights that resample a line of values to another length. */
export interface Taps {
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

/**
 * Computes bilinear weights: value j contributes `1 - |d|` to result i, with d the distance of their centres in input
 * pixels. With antialias, a line that shrinks measures d in output pixels, so that every value contributes, as in Pillow
 * and torchvision.
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
