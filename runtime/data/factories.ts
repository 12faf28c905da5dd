/**
 * The data sets that a scenario can name. Each factory returns a plain record, which the command line can reach into.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { checked } from "./checked.ts";
import {
  cifar100Schema,
  type Cifar100Spec,
  cifar10Schema,
  type Cifar10Spec,
  idxSchema,
  type IdxSpec,
  imageFolderSchema,
  type ImageFolderSpec,
  sourceSchema,
  type SourceSpec,
  syntheticImagesSchema,
  type SyntheticImagesSpec,
  type TensorSplitSpec,
  tensorsSchema,
  type TensorsSpec,
} from "./schema.ts";
import { toShared } from "./shared.ts";
import { checkTensors, classCount } from "./tensor_checks.ts";
import type { TransformSpec } from "./transforms/schema.ts";

/** What every data set takes. */
export interface CommonOptions {
  /** What is done to each sample, in order. */
  transforms?: TransformSpec[];
  /** Run neighbouring transforms in one pass (as is usual), or one by one, with the same results. */
  fuse?: boolean;
  /** `"device"`: crops, flips and `normalize` at the end of the transforms run on the GPU, with the same results. */
  placement?: "host" | "device";
  /** Milliseconds slept for each sample that is read or decoded, and for each batch that is put together. */
  delay?: { read?: number; decode?: number; collate?: number };
}

/**
 * CIFAR-10 in its binary format: 32 x 32 RGB images of 10 classes from `data_batch_1.bin`, ... and `test_batch.bin` in
 * `dir`. Without `dir`, a stand-in of the same size and format that Tacho draws and keeps in its cache folder.
 *
 * @throws {InputError} if an option is invalid; the folder itself is looked at by `describeDataset`
 */
export function cifar10(options: { dir?: string | null } & CommonOptions = {}): Cifar10Spec {
  return checked(cifar10Schema, { kind: "cifar10", ...options }, "cifar10()");
}

/**
 * CIFAR-100 in its binary format: 32 x 32 RGB images of 100 fine or 20 coarse classes from `train.bin` and `test.bin`.
 *
 * @throws {InputError} if an option is invalid; the folder itself is looked at by `describeDataset`
 */
export function cifar100(options: { dir: string; labels?: "fine" | "coarse" } & CommonOptions): Cifar100Spec {
  return checked(cifar100Schema, { kind: "cifar100", ...options }, "cifar100()");
}

/**
 * A set in MNIST's IDX format: `train-images-idx3-ubyte`, `train-labels-idx1-ubyte` and the same of `t10k` in `dir`,
 * gzipped or not. Images are `[1, height, width]`.
 *
 * @throws {InputError} if an option is invalid; the folder itself is looked at by `describeDataset`
 */
export function idx(options: { dir: string; classes?: number } & CommonOptions): IdxSpec {
  return checked(idxSchema, { kind: "idx", ...options }, "idx()");
}

/** MNIST: 28 x 28 grey images of the 10 digits; see `idx`. */
export function mnist(options: { dir: string } & CommonOptions): IdxSpec {
  return checked(idxSchema, { kind: "idx", ...options }, "mnist()");
}

/** Fashion-MNIST: 28 x 28 grey images of 10 kinds of clothes; see `idx`. */
export function fashionMnist(options: { dir: string } & CommonOptions): IdxSpec {
  return checked(idxSchema, { kind: "idx", ...options }, "fashionMnist()");
}

/** What `imageFolder` takes. */
export interface ImageFolderOptions extends CommonOptions {
  dir: string;
  /** The folder of the test split. */
  test?: string | null;
  /** 3: RGB, 1: grey. Files are converted; transparency is left out. */
  channels?: 1 | 3;
  /** The size that all files have, where the transforms do not make them one size. */
  size?: [height: number, width: number] | null;
}

/**
 * PNG and JPEG files, in one folder for each class; classes are numbered in the order of their names. Files are decoded
 * where batches are made. What a camera says about rotation is not looked at.
 *
 * @throws {InputError} if an option is invalid; the folder itself is looked at by `describeDataset`
 */
export function imageFolder(options: ImageFolderOptions): ImageFolderSpec {
  return checked(imageFolderSchema, { kind: "imageFolder", ...options }, "imageFolder()");
}

/** What `syntheticImages` takes: sizes in pixels, `length` in images. */
export interface SyntheticImagesOptions extends CommonOptions {
  channels?: number;
  height: number;
  width: number;
  classes: number;
  length: number;
}

/**
 * Random images with a weak trace of their class, drawn where they are used: a load of any size without a file.
 *
 * @throws {InputError} if an option is invalid
 */
export function syntheticImages(options: SyntheticImagesOptions): SyntheticImagesSpec {
  return checked(syntheticImagesSchema, { kind: "syntheticImages", ...options }, "syntheticImages()");
}

/** The samples of one split, one after the other; `shape` is that of one sample. */
export interface TensorSplitOptions {
  input: { shape: readonly number[]; data: Float32Array | Uint8Array };
  /** `shape` is `[]` where it is left out: one class index or one value per sample. */
  target: { shape?: readonly number[]; data: Int32Array | Float32Array };
}

/** What `tensors` takes. */
export interface TensorsOptions extends TensorSplitOptions, CommonOptions {
  test?: TensorSplitOptions | null;
  /** The number of classes; without it, one more than the largest index of an Int32Array target. */
  classes?: number;
}

/**
 * Samples that are in memory. The arrays are copied into shared memory once, unless they lie there already; changing
 * them later changes nothing.
 *
 * @throws {InputError} if lengths disagree, a label is out of range or an option is invalid
 */
export function tensors(options: TensorsOptions): TensorsSpec {
  if (typeof options !== "object" || options === null) {
    throw new InputError(`tensors() got ${options === null ? null : typeof options}; expected { input, target }`);
  }
  const { input, target, test = null, classes, ...rest } = options;
  const spec = checked(tensorsSchema, {
    kind: "tensors",
    train: withShape({ input, target }),
    test: test === null ? null : withShape(test),
    classes: classes ?? null,
    ...rest,
  }, "tensors()");
  spec.classes ??= classCount(spec);
  checkTensors(spec, "tensors()");
  return { ...spec, train: shareSplit(spec.train), test: spec.test === null ? null : shareSplit(spec.test) };
}

/** What `source` takes. */
export interface SourceOptions extends CommonOptions {
  /** The module's address, such as `import.meta.resolve("./samples.ts")`, or a path from the current folder. */
  module: string;
  /** Another module, for the test split. */
  test?: string | null;
  /** One sample's input; `[channels, height, width]` is an image. */
  input: { shape: number[]; dtype?: "u8" | "f32" };
  /** One sample's target; a class index when left out. */
  target?: { shape?: number[]; dtype?: "i32" | "f32" };
  classes?: number | null;
  /** Where the module cannot say it at once, since it has a top-level await. */
  length?: number | null;
  testLength?: number | null;
  unit?: "samples" | "images";
}

/**
 * Samples from a module of your own, which is imported where batches are made. It exports `length` and
 * `get(index)`, which returns `{ input, target }` or a promise of it: a Float32Array (or a Uint8Array for `dtype: "u8"`)
 * and a number or a list of them. A module whose samples come in one order only exports `samples(epoch)` instead, which
 * returns an iterable of such records.
 *
 * @throws {InputError} if an option is invalid; the module itself is looked at by `describeDataset`
 */
export function source(options: SourceOptions): SourceSpec {
  return checked(sourceSchema, { kind: "source", ...options }, "source()");
}

function withShape(split: TensorSplitOptions): unknown {
  if (typeof split?.target !== "object" || split.target === null) return split;
  return { ...split, target: { shape: [], ...split.target } };
}

function shareSplit({ input, target }: TensorSplitSpec): TensorSplitSpec {
  return {
    input: { ...input, data: toShared(input.data) },
    target: { ...target, data: toShared(target.data) },
  };
}
