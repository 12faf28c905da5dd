/**
 * Types of transforms. Generated from their schemas by: deno task types
 *
 * @module
 */

import type { Resolved } from "../../core/resolved.ts";

/** Fields of every record. */
export interface CommonTransformSpec {
  /** Milliseconds to sleep for each sample. */
  delay?: number | undefined;
}

/** Options of every transform. */
export interface DelayOption {
  /** Milliseconds to sleep for each sample. */
  readonly delay?: number | undefined;
}

/** Record that `resize` returns. */
export interface ResizeSpec extends CommonTransformSpec, Resolved<ResizeOptions, DelayOption> {
  kind: "resize";
  /** The shorter side in pixels, or [height, width]. */
  size: number | [number, number];
}

/** Options of `resize`. */
export interface ResizeOptions extends DelayOption {
  /** Widen the filter when the image shrinks, so that every pixel contributes. Default: `true`. */
  readonly antialias?: boolean | undefined;
}

/** Record that `randomResizedCrop` returns. */
export interface RandomResizedCropSpec extends CommonTransformSpec, Resolved<RandomResizedCropOptions, DelayOption> {
  kind: "randomResizedCrop";
  /** Height and width of the result in pixels. */
  size: number;
  /** Smallest and largest part of the area. */
  scale: [number, number];
  /** Smallest and largest width / height. */
  ratio: [number, number];
}

/** Options of `randomResizedCrop`. */
export interface RandomResizedCropOptions extends DelayOption {
  /** Smallest and largest part of the area. Default: `[0.08,1]`. */
  readonly scale?: readonly [number, number] | undefined;
  /** Smallest and largest width / height. Default: `[0.75,1.3333333333333333]`. */
  readonly ratio?: readonly [number, number] | undefined;
  /** Widen the filter when the image shrinks, so that every pixel contributes. Default: `true`. */
  readonly antialias?: boolean | undefined;
}

/** Record that `randomCrop` returns. */
export interface RandomCropSpec extends CommonTransformSpec, Resolved<RandomCropOptions, DelayOption> {
  kind: "randomCrop";
  /** Height and width of the result in pixels. */
  size: number;
}

/** Options of `randomCrop`. */
export interface RandomCropOptions extends DelayOption {
  /** Zero pixels added on each side before the crop. Default: `0`. */
  readonly padding?: number | undefined;
}

/** Record that `centerCrop` returns. */
export interface CenterCropSpec extends CommonTransformSpec {
  kind: "centerCrop";
  /** Height and width of the result in pixels. */
  size: number;
}

/** Record that `randomHorizontalFlip` returns. */
export interface RandomHorizontalFlipSpec
  extends CommonTransformSpec, Resolved<RandomHorizontalFlipOptions, DelayOption> {
  kind: "randomHorizontalFlip";
}

/** Options of `randomHorizontalFlip`. */
export interface RandomHorizontalFlipOptions extends DelayOption {
  /** Probability. Default: `0.5`. */
  readonly p?: number | undefined;
}

/** Record that `cutout` returns. */
export interface CutoutSpec extends CommonTransformSpec, Resolved<CutoutOptions, DelayOption> {
  kind: "cutout";
  /** Side of the square set to zero, in pixels. */
  size: number;
}

/** Options of `cutout`. */
export interface CutoutOptions extends DelayOption {
  /** Probability. Default: `1`. */
  readonly p?: number | undefined;
}

/** Record that `colorJitter` returns. */
export interface ColorJitterSpec extends CommonTransformSpec, Resolved<ColorJitterOptions, DelayOption> {
  kind: "colorJitter";
}

/** Options of `colorJitter`. */
export interface ColorJitterOptions extends DelayOption {
  /** X: multiply by a random factor from max(0, 1 - x) to 1 + x. Default: `0`. */
  readonly brightness?: number | undefined;
  /** X: multiply by a random factor from max(0, 1 - x) to 1 + x. Default: `0`. */
  readonly contrast?: number | undefined;
  /** X: multiply by a random factor from max(0, 1 - x) to 1 + x. Default: `0`. */
  readonly saturation?: number | undefined;
  /** X: rotate the hue by a random fraction of the circle from -x to x. Default: `0`. */
  readonly hue?: number | undefined;
}

/** Record that `gaussianBlur` returns. */
export interface GaussianBlurSpec extends CommonTransformSpec, Resolved<GaussianBlurOptions, DelayOption> {
  kind: "gaussianBlur";
  /** Smallest and largest standard deviation in pixels. */
  sigma: [number, number];
}

/** Options of `gaussianBlur`. */
export interface GaussianBlurOptions extends DelayOption {
  /** Height and width of the kernel in pixels; odd. */
  readonly kernelSize: number;
  /** Smallest and largest standard deviation in pixels. Default: `[0.1,2]`. */
  readonly sigma?: readonly [number, number] | undefined;
}

/** Record that `rescale` returns. */
export interface RescaleSpec extends CommonTransformSpec {
  kind: "rescale";
  /** Factor. */
  scale: number;
  /** Number added after scaling. */
  shift: number;
}

/** Record that `normalize` returns. */
export interface NormalizeSpec extends CommonTransformSpec {
  kind: "normalize";
  /** Mean of each channel. */
  mean: number[];
  /** Standard deviation of each channel. */
  std: number[];
}

/** Record that `toF32` returns. */
export interface ToF32Spec extends CommonTransformSpec {
  kind: "toF32";
}

/** Record that `toU8` returns. */
export interface ToU8Spec extends CommonTransformSpec {
  kind: "toU8";
}

/** Record that `hwcToChw` returns. */
export interface HwcToChwSpec extends CommonTransformSpec {
  kind: "hwcToChw";
}

/** Record that `chwToHwc` returns. */
export interface ChwToHwcSpec extends CommonTransformSpec {
  kind: "chwToHwc";
}

/** Record that `map` returns. */
export interface MapSpec extends CommonTransformSpec {
  kind: "map";
  /** Name of the function. */
  name: string;
  /** Module that creates the function; null: the script. */
  module: string | null;
  /** Module that workers import to create it. */
  script: string;
  /** Index among the functions of its module. */
  index: number;
  /** Hash of its source text, to detect a different function. */
  hash: number;
  /** Type and size of the result, where they differ from the input. */
  output: {
    dtype?: "u8" | "f32" | undefined;
    order?: "chw" | "hwc" | undefined;
    channels?: number | undefined;
    height?: number | undefined;
    width?: number | undefined;
  };
}

/** Record that `oneHot` returns. */
export interface OneHotSpec extends CommonTransformSpec, Resolved<OneHotOptions, DelayOption> {
  kind: "oneHot";
}

/** Options of `oneHot`. */
export interface OneHotOptions extends DelayOption {
  /** Part of the 1 spread over all classes. Default: `0`. */
  readonly smoothing?: number | undefined;
}

/** Record of any of the transforms. */
export type TransformSpec =
  | ResizeSpec
  | RandomResizedCropSpec
  | RandomCropSpec
  | CenterCropSpec
  | RandomHorizontalFlipSpec
  | CutoutSpec
  | ColorJitterSpec
  | GaussianBlurSpec
  | RescaleSpec
  | NormalizeSpec
  | ToF32Spec
  | ToU8Spec
  | HwcToChwSpec
  | ChwToHwcSpec
  | MapSpec
  | OneHotSpec;
