/**
 * What a data set looks like as plain data, which can be cloned to workers. The factories that users call are in
 * `factories.ts`.
 *
 * @module
 */
import { z } from "zod";
import { milliseconds, positiveInteger } from "./checked.ts";
import { transformSchema } from "./transforms/schema.ts";

/** What every data set has. */
const common = {
  transforms: z.array(transformSchema, { error: "expected a list of transforms" }).default([])
    .describe("what is done to each sample, in order"),
  fuse: z.boolean({ error: "expected true or false" }).default(true)
    .describe("run neighbouring transforms in one pass; false: one by one, with the same results"),
  placement: z.enum(["host", "device"], { error: 'expected "host" or "device"' }).default("host")
    .describe(
      "device: crops, flips and normalize at the end of the transforms run on the GPU, and bytes cross the bus",
    ),
  delay: z.strictObject({
    read: milliseconds.default(0).describe("milliseconds slept for each sample that is read, to study starvation"),
    decode: milliseconds.default(0).describe("milliseconds slept for each sample that is decoded"),
    collate: milliseconds.default(0).describe("milliseconds slept for each batch that is put together"),
  }).prefault({}),
};

const images = z.literal("images").default("images").describe("what samples are called");

function folder(what: string) {
  return z.string({ error: `expected ${what}` }).min(1, { error: `expected ${what}` });
}

export const cifar10Schema = z.strictObject({
  kind: z.literal("cifar10"),
  dir: folder("a folder, or null for the stand-in").nullable().default(null)
    .describe("folder with data_batch_1.bin ... and test_batch.bin; null: a stand-in that Tacho draws"),
  ...common,
  unit: images,
});

export const cifar100Schema = z.strictObject({
  kind: z.literal("cifar100"),
  dir: folder("a folder").describe("folder with train.bin and test.bin of the binary version"),
  labels: z.enum(["fine", "coarse"], { error: 'expected "fine" or "coarse"' }).default("fine")
    .describe("100 fine or 20 coarse classes"),
  ...common,
  unit: images,
});

export const idxSchema = z.strictObject({
  kind: z.literal("idx"),
  dir: folder("a folder").describe("folder with train-images-idx3-ubyte, ... of MNIST's format, gzipped or not"),
  classes: positiveInteger.default(10).describe("number of classes"),
  ...common,
  unit: images,
});

export const imageFolderSchema = z.strictObject({
  kind: z.literal("imageFolder"),
  dir: folder("a folder").describe("folder with one folder of PNG and JPEG files for each class"),
  test: folder("a folder, or null").nullable().default(null).describe("the same for the test split"),
  channels: z.union([z.literal(1), z.literal(3)], { error: "expected 1 (grey) or 3 (RGB)" }).default(3)
    .describe("3: RGB, 1: grey; files are converted"),
  size: z.tuple([positiveInteger, positiveInteger], { error: "expected [height, width] or null" }).nullable()
    .default(null).describe("[height, width] that all files have; null: they may differ"),
  ...common,
  unit: images,
});

export const syntheticImagesSchema = z.strictObject({
  kind: z.literal("syntheticImages"),
  channels: positiveInteger.default(3).describe("channels of each image"),
  height: positiveInteger.describe("height in pixels"),
  width: positiveInteger.describe("width in pixels"),
  classes: positiveInteger.describe("number of classes"),
  length: positiveInteger.describe("number of images"),
  ...common,
  unit: images,
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
  input: z.strictObject({
    shape: shape.describe("shape of one sample's input"),
    data: inputData.describe("inputs, one after the other"),
  }),
  target: z.strictObject({
    shape: shape.describe("shape of one sample's target"),
    data: targetData.describe("targets, one after the other"),
  }),
});

export const tensorsSchema = z.strictObject({
  kind: z.literal("tensors"),
  train: tensorSplitSchema.describe("samples to train on"),
  test: tensorSplitSchema.nullable().default(null).describe("samples to evaluate on"),
  classes: positiveInteger.nullable().default(null)
    .describe("number of classes that Int32Array targets index; null for regression"),
  ...common,
  unit: z.literal("samples").default("samples").describe("what samples are called"),
});

export const sourceSchema = z.strictObject({
  kind: z.literal("source"),
  module: folder("a module's address or path").describe("module that exports length and get(index)"),
  test: folder("a module's address or path, or null").nullable().default(null).describe("the same for the test split"),
  input: z.strictObject({
    shape: shape.describe("shape of one sample's input; [channels, height, width] for images"),
    dtype: z.enum(["u8", "f32"], { error: 'expected "u8" or "f32"' }).default("f32")
      .describe("u8: get returns a Uint8Array, f32: a Float32Array"),
  }),
  target: z.strictObject({
    shape: shape.default([]).describe("shape of one sample's target"),
    dtype: z.enum(["i32", "f32"], { error: 'expected "i32" or "f32"' }).default("i32")
      .describe("i32: class indices, f32: values"),
  }).prefault({}),
  classes: positiveInteger.nullable().default(null).describe("number of classes that targets index"),
  length: positiveInteger.nullable().default(null)
    .describe("samples in the training split; null: the module is asked, which must then have no top-level await"),
  testLength: positiveInteger.nullable().default(null).describe("the same for the test split"),
  ...common,
  unit: z.enum(["samples", "images"], { error: 'expected "samples" or "images"' }).default("samples")
    .describe("what samples are called"),
});

/** Any data set, told apart by `kind`. */
export const dataSchema = z.discriminatedUnion("kind", [
  cifar10Schema,
  cifar100Schema,
  idxSchema,
  imageFolderSchema,
  syntheticImagesSchema,
  tensorsSchema,
  sourceSchema,
], {
  error: "expected a data set: cifar10(), cifar100(), mnist(), imageFolder(), syntheticImages(), tensors() or source()",
});

export type Cifar10Spec = z.infer<typeof cifar10Schema>;
export type Cifar100Spec = z.infer<typeof cifar100Schema>;
export type IdxSpec = z.infer<typeof idxSchema>;
export type ImageFolderSpec = z.infer<typeof imageFolderSchema>;
export type SyntheticImagesSpec = z.infer<typeof syntheticImagesSchema>;
export type TensorSplitSpec = z.infer<typeof tensorSplitSchema>;
export type TensorsSpec = z.infer<typeof tensorsSchema>;
export type SourceSpec = z.infer<typeof sourceSchema>;
export type DataSpec = z.infer<typeof dataSchema>;
