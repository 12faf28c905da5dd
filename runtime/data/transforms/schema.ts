/**
 * What a transform looks like as plain data. The factories that users call are in `factories.ts`; how a transform works
 * is in the file of its name.
 *
 * @module
 */
import { z } from "zod";
import { milliseconds, nonNegativeInteger, positiveInteger } from "../checked.ts";

const number = z.number({ error: "expected a number" });
const positive = number.positive({ error: "expected a number above 0" });
const flag = z.boolean({ error: "expected true or false" });
const probability = z.number({ error: "expected a probability from 0 to 1" })
  .min(0, { error: "expected a probability from 0 to 1" })
  .max(1, { error: "expected a probability from 0 to 1" });

const delay = milliseconds.optional().describe("milliseconds that it sleeps for each sample");

/** [least, largest] */
function range(what: string) {
  return z.tuple([positive, positive], { error: `expected [least, largest] ${what}` })
    .refine(([low, high]) => low <= high, { error: `expected [least, largest] ${what}` });
}

export const resizeSchema = z.strictObject({
  kind: z.literal("resize"),
  size: z.union([positiveInteger, z.tuple([positiveInteger, positiveInteger])], {
    error: "expected the shorter side in pixels, or [height, width]",
  }).describe("the shorter side in pixels, or [height, width]"),
  antialias: flag.default(true).describe("widen the filter when the image shrinks, so that every pixel counts"),
  delay,
});

export const randomResizedCropSchema = z.strictObject({
  kind: z.literal("randomResizedCrop"),
  size: positiveInteger.describe("height and width of the result in pixels"),
  scale: range("parts of the image's area").default([0.08, 1]).describe("least and largest part of the area"),
  ratio: range("width / height").default([3 / 4, 4 / 3]).describe("least and largest width / height"),
  antialias: flag.default(true).describe("widen the filter when the image shrinks, so that every pixel counts"),
  delay,
});

export const randomCropSchema = z.strictObject({
  kind: z.literal("randomCrop"),
  size: positiveInteger.describe("height and width of the result in pixels"),
  padding: nonNegativeInteger.default(0).describe("zero pixels added on each side first"),
  delay,
});

export const centerCropSchema = z.strictObject({
  kind: z.literal("centerCrop"),
  size: positiveInteger.describe("height and width of the result in pixels"),
  delay,
});

export const randomHorizontalFlipSchema = z.strictObject({
  kind: z.literal("randomHorizontalFlip"),
  p: probability.default(0.5).describe("probability"),
  delay,
});

export const cutoutSchema = z.strictObject({
  kind: z.literal("cutout"),
  size: positiveInteger.describe("side of the square that becomes zero, in pixels"),
  p: probability.default(1).describe("probability"),
  delay,
});

export const rescaleSchema = z.strictObject({
  kind: z.literal("rescale"),
  scale: number.describe("factor"),
  shift: number.default(0).describe("what is added after it"),
  delay,
});

export const normalizeSchema = z.strictObject({
  kind: z.literal("normalize"),
  mean: z.array(number).min(1, { error: "expected one number per channel" }).describe("mean of each channel"),
  std: z.array(positive).min(1, { error: "expected one number per channel" })
    .describe("standard deviation of each channel"),
  delay,
}).refine((spec) => spec.mean.length === spec.std.length, {
  path: ["std"],
  error: "expected as many numbers as mean has",
});

export const toF32Schema = z.strictObject({ kind: z.literal("toF32"), delay });
export const toU8Schema = z.strictObject({ kind: z.literal("toU8"), delay });
export const hwcToChwSchema = z.strictObject({ kind: z.literal("hwcToChw"), delay });
export const chwToHwcSchema = z.strictObject({ kind: z.literal("chwToHwc"), delay });

export const mapSchema = z.strictObject({
  kind: z.literal("map"),
  name: z.string().describe("the function's name"),
  module: z.string().nullable().describe("the module that makes the function; null: the script"),
  script: z.string().describe("what workers import to have it"),
  index: nonNegativeInteger.describe("its number among the functions of its module"),
  hash: nonNegativeInteger.describe("a hash of its text, so that another function is not taken for it"),
  output: z.strictObject({
    dtype: z.enum(["u8", "f32"], { error: 'expected "u8" or "f32"' }).optional(),
    order: z.enum(["chw", "hwc"], { error: 'expected "chw" or "hwc"' }).optional(),
    channels: positiveInteger.optional(),
    height: positiveInteger.optional(),
    width: positiveInteger.optional(),
  }).describe("what the result is, where it differs from what comes in"),
  delay,
});

export const oneHotSchema = z.strictObject({
  kind: z.literal("oneHot"),
  smoothing: probability.default(0).describe("part of the 1 that is spread over all classes"),
  delay,
});

/** Any transform, told apart by `kind`. */
export const transformSchema = z.discriminatedUnion("kind", [
  resizeSchema,
  randomResizedCropSchema,
  randomCropSchema,
  centerCropSchema,
  randomHorizontalFlipSchema,
  cutoutSchema,
  rescaleSchema,
  normalizeSchema,
  toF32Schema,
  toU8Schema,
  hwcToChwSchema,
  chwToHwcSchema,
  mapSchema,
  oneHotSchema,
], {
  error: 'expected kind to be "randomCrop", "randomHorizontalFlip", "normalize" or another of `transforms`',
});

export type ResizeSpec = z.infer<typeof resizeSchema>;
export type RandomResizedCropSpec = z.infer<typeof randomResizedCropSchema>;
export type RandomCropSpec = z.infer<typeof randomCropSchema>;
export type CenterCropSpec = z.infer<typeof centerCropSchema>;
export type RandomHorizontalFlipSpec = z.infer<typeof randomHorizontalFlipSchema>;
export type CutoutSpec = z.infer<typeof cutoutSchema>;
export type RescaleSpec = z.infer<typeof rescaleSchema>;
export type NormalizeSpec = z.infer<typeof normalizeSchema>;
export type ToF32Spec = z.infer<typeof toF32Schema>;
export type ToU8Spec = z.infer<typeof toU8Schema>;
export type HwcToChwSpec = z.infer<typeof hwcToChwSchema>;
export type ChwToHwcSpec = z.infer<typeof chwToHwcSchema>;
export type MapSpec = z.infer<typeof mapSchema>;
export type OneHotSpec = z.infer<typeof oneHotSchema>;
export type TransformSpec = z.infer<typeof transformSchema>;
/** A transform of the input; `oneHot` is of the target. */
export type InputTransformSpec = Exclude<TransformSpec, OneHotSpec>;
