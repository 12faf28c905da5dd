/**
 * Rules of Resize: which places of the source make an element of the result, and with which weights
 * (https://onnx.ai/onnx/operators/onnx__Resize.html).
 *
 * @module
 */

/** Sizes of a dimension, and the factor between them as the file gives it. */
export interface Sizes {
  readonly scale: number;
  readonly from: number;
  readonly to: number;
}

/** A quotient as f32, so that one by a scale of f32 is whole where it should be: 1.5 / 0.6 is 2.5. */
const over = (a: number, b: number) => Math.fround(a / b);

/** Place in the source of an element of the result, by `coordinate_transformation_mode`. */
export const PLACES: Readonly<Record<string, (i: number, sizes: Sizes) => number>> = {
  half_pixel: (i, { scale }) => over(i + 0.5, scale) - 0.5,
  half_pixel_symmetric: (i, { scale, from, to }) => {
    const adjusted = to / (scale * from);
    return from / 2 * (1 - adjusted) + over(i + 0.5, scale) - 0.5;
  },
  pytorch_half_pixel: (i, { scale, to }) => to > 1 ? over(i + 0.5, scale) - 0.5 : 0,
  tf_half_pixel_for_nn: (i, { scale }) => over(i + 0.5, scale),
  align_corners: (i, { from, to }) => to === 1 ? 0 : over(i * (from - 1), to - 1),
  asymmetric: (i, { scale }) => over(i, scale),
};

/** Nearest element, by `nearest_mode`. */
export const ROUNDINGS: Readonly<Record<string, (place: number) => number>> = {
  round_prefer_floor: (place) => Math.ceil(place - 0.5),
  round_prefer_ceil: (place) => Math.floor(place + 0.5),
  floor: Math.floor,
  ceil: Math.ceil,
};

/** Weights of the elements around a place: `reach` of them on each side, by their distance. */
export interface Filter {
  readonly reach: number;
  readonly weight: (distance: number) => number;
}

export const LINEAR: Filter = { reach: 1, weight: (distance) => 1 - distance };

/** Cubic convolution (R. Keys, 1981) with the coefficient `a`. */
export function cubic(a: number): Filter {
  return {
    reach: 2,
    weight: (x) => x <= 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0,
  };
}

/**
 * Returns the weights of all `size` elements at a place. Elements beyond the ends are those at the ends, or with
 * `excludes` have no weight.
 */
export function tapsOf(place: number, size: number, { reach, weight }: Filter, excludes: boolean): number[] {
  const row = new Array<number>(size).fill(0);
  const first = Math.floor(place) - reach + 1;
  for (let i = first; i < first + 2 * reach; i++) {
    const isInside = i >= 0 && i < size;
    if (excludes && !isInside) continue;
    row[Math.min(size - 1, Math.max(0, i))]! += weight(Math.abs(place - i));
  }
  const total = row.reduce((sum, each) => sum + each, 0);
  return excludes ? row.map((each) => each / total) : row;
}
