/**
 * What a data set looks like as plain data, which can be cloned to workers. The factories that users call are in
 * `factories.ts`.
 *
 * @module
 */
import { z } from "zod";
import { positiveInteger } from "./checked.ts";
import { transformSchema } from "./transforms/schema.ts";

const transforms = z.array(transformSchema, { error: "expected a list of transforms" }).default([]);

export const cifar10Schema = z.strictObject({
  kind: z.literal("cifar10"),
  /** The folder with data_batch_1.bin ... and test_batch.bin; null for the stand-in that Tacho draws. */
  dir: z.string({ error: "expected a folder, or null for the stand-in" })
    .min(1, { error: "expected a folder, or null for the stand-in" }).nullable().default(null),
  transforms,
  unit: z.literal("images").default("images"),
});

export const syntheticImagesSchema = z.strictObject({
  kind: z.literal("syntheticImages"),
  channels: positiveInteger.default(3),
  height: positiveInteger,
  width: positiveInteger,
  classes: positiveInteger,
  length: positiveInteger,
  transforms,
  unit: z.literal("images").default("images"),
});

const shape = z.array(positiveInteger, { error: "expected a list of sizes" });
const inputData = z.union([z.instanceof(Float32Array), z.instanceof(Uint8Array)], {
  error: "expected a Float32Array or a Uint8Array",
});
const targetData = z.union([z.instanceof(Int32Array), z.instanceof(Float32Array)], {
  error: "expected an Int32Array of class indices or a Float32Array",
});

/** The samples of one split: the shapes are those of one sample. */
export const tensorSplitSchema = z.strictObject({
  input: z.strictObject({ shape, data: inputData }),
  target: z.strictObject({ shape, data: targetData }),
});

export const tensorsSchema = z.strictObject({
  kind: z.literal("tensors"),
  train: tensorSplitSchema,
  test: tensorSplitSchema.nullable().default(null),
  /** The number of classes that Int32Array targets index; null for regression. */
  classes: positiveInteger.nullable().default(null),
  transforms,
  unit: z.literal("samples").default("samples"),
});

/** Any data set, told apart by `kind`. */
export const dataSchema = z.discriminatedUnion("kind", [cifar10Schema, syntheticImagesSchema, tensorsSchema], {
  error: "expected a data set: cifar10(), syntheticImages() or tensors()",
});

export type Cifar10Spec = z.infer<typeof cifar10Schema>;
export type SyntheticImagesSpec = z.infer<typeof syntheticImagesSchema>;
export type TensorSplitSpec = z.infer<typeof tensorSplitSchema>;
export type TensorsSpec = z.infer<typeof tensorsSchema>;
export type DataSpec = z.infer<typeof dataSchema>;
