/**
 * What a transform looks like as plain data. The factories that users call are in `factories.ts`; how a transform works
 * is in the file of its name.
 *
 * @module
 */
import { z } from "zod";
import { nonNegativeInteger, positiveInteger } from "../checked.ts";

export const randomCropSchema = z.strictObject({
  kind: z.literal("randomCrop"),
  size: positiveInteger,
  padding: nonNegativeInteger.default(0),
});

export const randomHorizontalFlipSchema = z.strictObject({
  kind: z.literal("randomHorizontalFlip"),
  p: z.number({ error: "expected a probability from 0 to 1" })
    .min(0, { error: "expected a probability from 0 to 1" })
    .max(1, { error: "expected a probability from 0 to 1" })
    .default(0.5),
});

export const normalizeSchema = z.strictObject({
  kind: z.literal("normalize"),
  mean: z.array(z.number({ error: "expected a number" })).min(1, { error: "expected one number per channel" }),
  std: z.array(z.number({ error: "expected a number" }).positive({ error: "expected a number above 0" }))
    .min(1, { error: "expected one number per channel" }),
}).refine((spec) => spec.mean.length === spec.std.length, {
  path: ["std"],
  error: "expected as many numbers as mean has",
});

/** Any transform, told apart by `kind`. */
export const transformSchema = z.discriminatedUnion("kind", [
  randomCropSchema,
  randomHorizontalFlipSchema,
  normalizeSchema,
], { error: 'expected kind to be "randomCrop", "randomHorizontalFlip" or "normalize"' });

export type RandomCropSpec = z.infer<typeof randomCropSchema>;
export type RandomHorizontalFlipSpec = z.infer<typeof randomHorizontalFlipSchema>;
export type NormalizeSpec = z.infer<typeof normalizeSchema>;
export type TransformSpec = z.infer<typeof transformSchema>;
