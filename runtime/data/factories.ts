/**
 * The data sets that a scenario can name. Each factory returns a plain record, which the command line can reach into.
 *
 * @module
 */
import { checked } from "./checked.ts";
import {
  cifar10Schema,
  type Cifar10Spec,
  syntheticImagesSchema,
  type SyntheticImagesSpec,
  type TensorSplitSpec,
  tensorsSchema,
  type TensorsSpec,
} from "./schema.ts";
import { toShared } from "./shared.ts";
import { checkTensors, classCount } from "./tensor_checks.ts";
import type { TransformSpec } from "./transforms/schema.ts";

/**
 * CIFAR-10 in its binary format: 32 x 32 RGB images of 10 classes from `data_batch_1.bin`, ... and `test_batch.bin` in
 * `dir`. Without `dir`, a stand-in of the same size and format that Tacho draws and keeps in its cache folder.
 *
 * @throws {InputError} if an option is invalid; the folder itself is looked at by `describeDataset`
 */
export function cifar10(options: { dir?: string | null; transforms?: TransformSpec[] } = {}): Cifar10Spec {
  return checked(cifar10Schema, { kind: "cifar10", ...options }, "cifar10()");
}

/** What `syntheticImages` takes: sizes in pixels, `length` in images. */
export interface SyntheticImagesOptions {
  channels?: number;
  height: number;
  width: number;
  classes: number;
  length: number;
  transforms?: TransformSpec[];
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
export interface TensorsOptions extends TensorSplitOptions {
  test?: TensorSplitOptions | null;
  /** The number of classes; without it, one more than the largest index of an Int32Array target. */
  classes?: number;
  transforms?: TransformSpec[];
}

/**
 * Samples that are in memory. The arrays are copied into shared memory once, unless they lie there already; changing
 * them later changes nothing.
 *
 * @throws {InputError} if lengths disagree, a label is out of range or an option is invalid
 */
export function tensors(options: TensorsOptions): TensorsSpec {
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
