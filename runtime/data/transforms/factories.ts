/**
 * The transforms that a scenario can name: `import { transforms as t } from "tacho"`, then `t.randomCrop(32)`. They run
 * in the order in which they are listed. Without `normalize`, u8 pixels become `x / 255`.
 *
 * @module
 */
import { InputError } from "../../core/errors.ts";
import { suggestion } from "../../core/nearest.ts";
import { checked } from "../checked.ts";
import {
  normalizeSchema,
  type NormalizeSpec,
  randomCropSchema,
  type RandomCropSpec,
  randomHorizontalFlipSchema,
  type RandomHorizontalFlipSpec,
} from "./schema.ts";

/** Means and standard deviations of pixels / 255 over well-known training sets, per channel. */
const STATISTICS: Readonly<Record<string, { readonly mean: readonly number[]; readonly std: readonly number[] }>> = {
  cifar10: { mean: [0.4914, 0.4822, 0.4465], std: [0.2470, 0.2435, 0.2616] },
  imagenet: { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] },
  mnist: { mean: [0.1307], std: [0.3081] },
};

/** The data sets whose statistics `normalize` knows by name. */
export type StatisticsName = "cifar10" | "imagenet" | "mnist";

/**
 * A square of `size` x `size` pixels from a random place of the image, which first gets `padding` zero pixels on
 * each side.
 *
 * @throws {InputError} if `size` is no whole number above 0 or `padding` none of at least 0
 */
export function randomCrop(size: number, options: { padding?: number } = {}): RandomCropSpec {
  return checked(randomCropSchema, { kind: "randomCrop", size, ...options }, "randomCrop()");
}

/**
 * The image mirrored left to right with probability `p`.
 *
 * @throws {InputError} if `p` is not within 0 and 1
 */
export function randomHorizontalFlip(options: { p?: number } = {}): RandomHorizontalFlipSpec {
  return checked(
    randomHorizontalFlipSchema,
    { kind: "randomHorizontalFlip", ...options },
    "randomHorizontalFlip()",
  );
}

/**
 * `(x - mean) / std` per channel, where x is the pixel / 255 of u8 data and the value itself of f32 data. Samples that
 * are not `[channels, height, width]` count as one channel.
 *
 * @throws {InputError} if the name is unknown, the lists differ in length or a standard deviation is not above 0
 */
export function normalize(statistics: StatisticsName | { mean: number[]; std: number[] }): NormalizeSpec {
  if (typeof statistics !== "string") {
    return checked(normalizeSchema, { kind: "normalize", ...statistics }, "normalize()");
  }
  const known = Object.hasOwn(STATISTICS, statistics) ? STATISTICS[statistics] : undefined;
  if (known === undefined) {
    const mend = suggestion(statistics, Object.keys(STATISTICS));
    throw new InputError(`normalize("${statistics}"): no such statistics${mend}; or give { mean, std } per channel`);
  }
  return { kind: "normalize", mean: [...known.mean], std: [...known.std] };
}
