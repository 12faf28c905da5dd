/**
 * The transforms that a scenario can name: `import { transforms as t } from "tacho"`, then `t.randomCrop(32)`. They run
 * in the order in which they are listed, after files have been decoded. Values that are u8 at the end become `x / 255`.
 * Each takes `delay`, milliseconds that it sleeps for every sample, to study starvation.
 *
 * @module
 */
import { InputError } from "../../core/errors.ts";
import { suggestion } from "../../core/nearest.ts";
import { checked } from "../checked.ts";
import { registerFunction } from "./functions.ts";
import {
  centerCropSchema,
  type CenterCropSpec,
  chwToHwcSchema,
  type ChwToHwcSpec,
  cutoutSchema,
  type CutoutSpec,
  hwcToChwSchema,
  type HwcToChwSpec,
  mapSchema,
  type MapSpec,
  normalizeSchema,
  type NormalizeSpec,
  oneHotSchema,
  type OneHotSpec,
  randomCropSchema,
  type RandomCropSpec,
  randomHorizontalFlipSchema,
  type RandomHorizontalFlipSpec,
  randomResizedCropSchema,
  type RandomResizedCropSpec,
  rescaleSchema,
  type RescaleSpec,
  resizeSchema,
  type ResizeSpec,
  toF32Schema,
  type ToF32Spec,
  toU8Schema,
  type ToU8Spec,
} from "./schema.ts";
import type { MapFunction } from "./transform.ts";

export type { MapFunction, MapSample } from "./transform.ts";

/** Means and standard deviations of pixels / 255 over well-known training sets, per channel. */
const STATISTICS: Readonly<Record<string, { readonly mean: readonly number[]; readonly std: readonly number[] }>> = {
  cifar10: { mean: [0.4914, 0.4822, 0.4465], std: [0.2470, 0.2435, 0.2616] },
  cifar100: { mean: [0.5071, 0.4866, 0.4409], std: [0.2673, 0.2564, 0.2762] },
  fashionMnist: { mean: [0.2860], std: [0.3530] },
  imagenet: { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] },
  mnist: { mean: [0.1307], std: [0.3081] },
};

/** The data sets whose statistics `normalize` knows by name. */
export type StatisticsName = "cifar10" | "cifar100" | "fashionMnist" | "imagenet" | "mnist";

/** What every transform takes. */
export interface DelayOption {
  /** Milliseconds that it sleeps for each sample. */
  delay?: number;
}

/**
 * The image in another size, bilinear: a number is the shorter side (the other keeps the ratio, rounded down), a pair is
 * height and width. Pixels count by the distance of their centres. With `antialias` the filter widens as the image
 * shrinks, so that every pixel counts, as in Pillow and torchvision; without it a result is made of the 4 pixels around
 * it, which is faster and drops the rest. u8 stays u8, rounded once.
 *
 * @throws {InputError} if an option is invalid
 */
export function resize(
  size: number | [height: number, width: number],
  options: { antialias?: boolean } & DelayOption = {},
): ResizeSpec {
  return checked(resizeSchema, { kind: "resize", size, ...options }, "resize()");
}

/**
 * A random rectangle of the image, resized to `size` x `size`: its area is a part of the image's drawn from `scale`, its
 * width / height is drawn from `ratio`, uniformly on a logarithmic scale.
 *
 * @throws {InputError} if an option is invalid
 */
export function randomResizedCrop(
  size: number,
  options: { scale?: [number, number]; ratio?: [number, number]; antialias?: boolean } & DelayOption = {},
): RandomResizedCropSpec {
  return checked(randomResizedCropSchema, { kind: "randomResizedCrop", size, ...options }, "randomResizedCrop()");
}

/**
 * A square of `size` x `size` pixels from a random place of the image, which first gets `padding` zero pixels on
 * each side.
 *
 * @throws {InputError} if `size` is no whole number above 0 or `padding` none of at least 0
 */
export function randomCrop(size: number, options: { padding?: number } & DelayOption = {}): RandomCropSpec {
  return checked(randomCropSchema, { kind: "randomCrop", size, ...options }, "randomCrop()");
}

/**
 * The square of `size` x `size` pixels in the middle of the image.
 *
 * @throws {InputError} if `size` is no whole number above 0
 */
export function centerCrop(size: number, options: DelayOption = {}): CenterCropSpec {
  return checked(centerCropSchema, { kind: "centerCrop", size, ...options }, "centerCrop()");
}

/**
 * The image mirrored left to right with probability `p`.
 *
 * @throws {InputError} if `p` is not within 0 and 1
 */
export function randomHorizontalFlip(options: { p?: number } & DelayOption = {}): RandomHorizontalFlipSpec {
  return checked(
    randomHorizontalFlipSchema,
    { kind: "randomHorizontalFlip", ...options },
    "randomHorizontalFlip()",
  );
}

/**
 * A square of `size` x `size` pixels, its centre anywhere in the image, set to zero with probability `p`; what lies
 * beyond the edge is left out. After `normalize` zero is the mean.
 *
 * @throws {InputError} if an option is invalid
 */
export function cutout(size: number, options: { p?: number } & DelayOption = {}): CutoutSpec {
  return checked(cutoutSchema, { kind: "cutout", size, ...options }, "cutout()");
}

/**
 * `x * scale + shift` of the values as they are: `rescale(1 / 255)` makes 0 to 1 of pixels.
 *
 * @throws {InputError} if an option is invalid
 */
export function rescale(scale: number, shift = 0, options: DelayOption = {}): RescaleSpec {
  return checked(rescaleSchema, { kind: "rescale", scale, shift, ...options }, "rescale()");
}

/**
 * `(x - mean) / std` per channel, where x is the pixel / 255 of u8 data and the value itself of f32 data. Samples that
 * are not `[channels, height, width]` count as one channel.
 *
 * @throws {InputError} if the name is unknown, the lists differ in length or a standard deviation is not above 0
 */
export function normalize(
  statistics: StatisticsName | { mean: number[]; std: number[] },
  options: DelayOption = {},
): NormalizeSpec {
  if (typeof statistics !== "string") {
    return checked(normalizeSchema, { kind: "normalize", ...statistics, ...options }, "normalize()");
  }
  const known = Object.hasOwn(STATISTICS, statistics) ? STATISTICS[statistics] : undefined;
  if (known === undefined) {
    const mend = suggestion(statistics, Object.keys(STATISTICS));
    throw new InputError(`normalize("${statistics}"): no such statistics${mend}; or give { mean, std } per channel`);
  }
  return checked(
    normalizeSchema,
    { kind: "normalize", mean: [...known.mean], std: [...known.std], ...options },
    "normalize()",
  );
}

/**
 * Values as f32, as they are: 255 stays 255. `rescale` and `normalize` do this by themselves.
 */
export function toF32(options: DelayOption = {}): ToF32Spec {
  return checked(toF32Schema, { kind: "toF32", ...options }, "toF32()");
}

/**
 * Values as u8: rounded to the nearest whole number, halves upwards, and held within 0 and 255.
 */
export function toU8(options: DelayOption = {}): ToU8Spec {
  return checked(toU8Schema, { kind: "toU8", ...options }, "toU8()");
}

/**
 * From pixels of channels, as files are decoded, to planes of pixels. Samples arrive in the order of the device whatever
 * the chain does; what this changes is what comes between, and what it costs.
 */
export function hwcToChw(options: DelayOption = {}): HwcToChwSpec {
  return checked(hwcToChwSchema, { kind: "hwcToChw", ...options }, "hwcToChw()");
}

/** From planes of pixels to pixels of channels. */
export function chwToHwc(options: DelayOption = {}): ChwToHwcSpec {
  return checked(chwToHwcSchema, { kind: "chwToHwc", ...options }, "chwToHwc()");
}

/** What `map` takes. */
export interface MapOptions extends DelayOption {
  /** What the function returns, where it differs from what it gets. */
  output?: { dtype?: "u8" | "f32"; order?: "chw" | "hwc"; channels?: number; height?: number; width?: number };
  /** `import.meta.url` of the module that calls `map`, where that is not the script that is run. */
  module?: string;
  /** In reports; the function's own name when left out. */
  name?: string;
}

/**
 * A function of your own over a whole sample. It may change `sample.data` and return nothing, or return another array.
 * Draws come from `random`, which is keyed by (seed, epoch, sample), so that they are the same in any worker.
 *
 * Workers import the script to have the function, so call `map` at its top level, always in the same order; what the
 * function uses of its module is made anew in each worker.
 *
 * ```ts ignore
 * const invert = t.map(({ data }) => {
 *   for (let i = 0; i < data.length; i++) data[i] = 255 - data[i]!;
 * });
 * ```
 *
 * @throws {InputError} if an option is invalid
 */
export function map(fn: MapFunction, options: MapOptions = {}): MapSpec {
  if (typeof fn !== "function") throw new InputError(`map() got ${typeof fn}; expected a function of a sample`);
  const { output = {}, module = null, name = fn.name || "function", ...rest } = options;
  return checked(mapSchema, { kind: "map", name, ...registerFunction(fn, module), output, ...rest }, "map()");
}

/**
 * The target as a vector with 1 at its class and 0 elsewhere; `smoothing` of the 1 is spread over all classes.
 *
 * @throws {InputError} if `smoothing` is not within 0 and 1
 */
export function oneHot(options: { smoothing?: number } & DelayOption = {}): OneHotSpec {
  return checked(oneHotSchema, { kind: "oneHot", ...options }, "oneHot()");
}
