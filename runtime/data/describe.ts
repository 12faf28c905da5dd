import { join } from "node:path";
import { InputError } from "../core/errors.ts";
import type { Shape } from "../core/shape.ts";
import { type Cifar10Folder, inspectCifar10, OFFICIAL_RECORDS, OFFICIAL_TRAIN_FILES } from "./cifar10_folder.ts";
import type { DataSpec, TensorSplitSpec } from "./schema.ts";
import { toShared } from "./shared.ts";
import type { SourcePlan } from "./sources/plan.ts";
import { standInFolder } from "./standin/cache.ts";
import { checkTensors, splitLength } from "./tensor_checks.ts";
import { chainTypes } from "./transforms/chain.ts";
import type { SampleType } from "./transforms/transform.ts";

/** What a model and its loss need to know of a data set. */
export interface DatasetDescription {
  /** Samples in each split. */
  readonly train: { readonly length: number };
  readonly test: { readonly length: number } | null;
  /** The logical shape of one sample after the transforms: `[channels, height, width]` for images. */
  readonly input: { readonly shape: Shape; readonly dtype: "f32" };
  /** The shape of one target; i32 targets are class indices. */
  readonly target: { readonly shape: Shape; readonly dtype: "i32" | "f32" };
  /** null where targets are no class indices. */
  readonly classes: number | null;
  readonly unit: "images" | "samples";
}

/**
 * What the data set holds. Looks at names and sizes of files, but reads none, starts no worker and draws no stand-in.
 *
 * @throws {InputError} if files are missing or of a wrong size, tensors disagree, or a transform does not fit
 */
export function describeDataset(spec: DataSpec): DatasetDescription {
  const sample = sampleType(spec);
  const types = chainTypes(spec.transforms, sample, "data");
  return { ...describeSource(spec), input: { shape: inputShape(spec, types.at(-1)!), dtype: "f32" }, unit: spec.unit };
}

/**
 * Where the samples of a split come from; the stand-in must have been drawn.
 *
 * @throws {InputError} as `describeDataset`, and if there is no test split
 */
export function sourcePlan(spec: DataSpec, split: "train" | "test"): SourcePlan {
  const sample = sampleType(spec);
  if (spec.kind === "tensors") {
    const { input, target } = spec[split] ?? noTestSplit(spec);
    return {
      kind: "tensors",
      sample,
      length: splitLength({ input, target }),
      input: toShared(input.data),
      target: toShared(target.data),
      targetDType: target.data instanceof Int32Array ? "i32" : "f32",
      targetSize: target.data.length / splitLength({ input, target }),
    };
  }
  const common = { sample, targetDType: "i32", targetSize: 1 } as const;
  if (spec.kind === "syntheticImages") {
    if (split === "test") noTestSplit(spec);
    return { kind: "synthetic", ...common, length: spec.length, classes: spec.classes };
  }
  const files = inspect(spec.dir)[split] ?? noTestSplit(spec);
  const length = files.reduce((sum, { records }) => sum + records, 0);
  return { kind: "recordFiles", ...common, length, files, classes: 10 };
}

function noTestSplit(spec: DataSpec): never {
  const mend = spec.kind === "tensors"
    ? "; give tensors({ ..., test: { input, target } })"
    : spec.kind === "cifar10" && spec.dir !== null
    ? `: ${join(spec.dir, "test_batch.bin")} does not exist`
    : "";
  throw new InputError(`The data set ${spec.kind} has no test split${mend}`);
}

function inspect(dir: string | null): Cifar10Folder {
  if (dir !== null) return inspectCifar10(dir);
  const folder = standInFolder();
  try {
    return inspectCifar10(folder);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(
      `The stand-in for CIFAR-10 is damaged: ${error.message}. Delete ${folder} to have it drawn again`,
    );
  }
}

type Source = Pick<DatasetDescription, "train" | "test" | "target" | "classes">;

function describeSource(spec: DataSpec): Source {
  const label = { shape: [], dtype: "i32" } as const;
  if (spec.kind === "syntheticImages") {
    return { train: { length: spec.length }, test: null, target: label, classes: spec.classes };
  }
  if (spec.kind === "tensors") {
    checkTensors(spec, "data");
    const { target } = spec.train;
    return {
      train: { length: splitLength(spec.train) },
      test: spec.test === null ? null : { length: splitLength(spec.test) },
      target: { shape: target.shape, dtype: target.data instanceof Int32Array ? "i32" : "f32" },
      classes: target.data instanceof Int32Array ? spec.classes : null,
    };
  }
  if (spec.dir === null) {
    return {
      train: { length: OFFICIAL_TRAIN_FILES * OFFICIAL_RECORDS },
      test: { length: OFFICIAL_RECORDS },
      target: label,
      classes: 10,
    };
  }
  const { train, test } = inspectCifar10(spec.dir);
  const count = (files: readonly { records: number }[]) => files.reduce((sum, { records }) => sum + records, 0);
  return {
    train: { length: count(train) },
    test: test === null ? null : { length: count(test) },
    target: label,
    classes: 10,
  };
}

/** A sample before the transforms. */
function sampleType(spec: DataSpec): SampleType {
  switch (spec.kind) {
    case "cifar10":
      return { dtype: "u8", channels: 3, height: 32, width: 32, image: true };
    case "syntheticImages":
      return { dtype: "u8", channels: spec.channels, height: spec.height, width: spec.width, image: true };
    case "tensors":
      return tensorSample(spec.train.input);
  }
}

function tensorSample({ shape, data }: TensorSplitSpec["input"]): SampleType {
  const dtype = data instanceof Uint8Array ? "u8" : "f32";
  const [channels, height, width] = shape;
  if (shape.length === 3) return { dtype, channels: channels!, height: height!, width: width!, image: true };
  return { dtype, channels: 1, height: 1, width: shape.reduce((product, n) => product * n, 1), image: false };
}

function inputShape(spec: DataSpec, { image, channels, height, width }: SampleType): Shape {
  if (image || spec.kind !== "tensors") return [channels, height, width];
  return spec.train.input.shape;
}
