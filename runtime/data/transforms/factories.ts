/**
 * Transforms for scenarios. They run in list order, after files are decoded. Values that are u8 at the end become
 * `x / 255`. Every transform takes `delay`, milliseconds to sleep for each sample, to study starvation.
 *
 * @example
 * ```ts
 * import { cifar10, transforms as t } from "@tacho/tacho";
 *
 * const data = cifar10({
 *   transforms: [t.randomCrop(32, { padding: 4 }), t.randomHorizontalFlip(), t.normalize("cifar10")],
 * });
 * ```
 *
 * @module
 */
import "./schema.ts";

export { centerCrop } from "./center_crop.ts";
export { colorJitter } from "./color_jitter.ts";
export { chwToHwc, hwcToChw, toF32, toU8 } from "./conversions.ts";
export { cutout } from "./cutout.ts";
export { gaussianBlur } from "./gaussian_blur.ts";
export { map, type MapOptions } from "./map.ts";
export { normalize, type StatisticsName } from "./normalize.ts";
export { oneHot } from "./one_hot.ts";
export { randomCrop } from "./random_crop.ts";
export { randomHorizontalFlip } from "./random_horizontal_flip.ts";
export { randomResizedCrop } from "./random_resized_crop.ts";
export { rescale } from "./rescale.ts";
export { resize } from "./resize.ts";
export type * from "./types.ts";
export type { MapFunction, MapSample } from "./transform.ts";
