import { InputError } from "../core/errors.ts";
import { type Shape, sizeOf } from "../core/shape.ts";
import { inspectCifar10, OFFICIAL_RECORDS, OFFICIAL_TRAIN_FILES } from "./cifar10_folder.ts";
import { inspectCifar100 } from "./cifar100_folder.ts";
import { inspectIdx } from "./idx_folder.ts";
import { inspectImageFolder } from "./image_folder.ts";
import { moduleInfo } from "./module_info.ts";
import type { RecordFolder } from "./record_folder.ts";
import { ownShape, sampleType } from "./sample_type.ts";
import type { DataSpec, SourceSpec } from "./schema.ts";
import { checkTensors, splitLength } from "./tensor_checks.ts";
import { DeviceChain } from "./transforms/device_chain.ts";
import type { DevicePart } from "./transforms/device_part.ts";
import { oneHotOf } from "./transforms/one_hot.ts";
import { resultType, type SizedType } from "./transforms/result_type.ts";

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
  /** What the device does to training batches before the model sees them; absent where the host does everything. */
  readonly device?: DevicePart;
}

/**
 * What the data set holds. Looks at names, sizes and headers of files, but reads no samples, starts no worker and draws no
 * stand-in.
 *
 * @throws {InputError} if files are missing or of a wrong size, tensors disagree, or a transform does not fit
 */
export function describeDataset(spec: DataSpec): DatasetDescription {
  const sample = sampleType(spec);
  const result = resultType(spec.transforms, sample, "data");
  const source = describeSource(spec);
  const oneHot = oneHotOf(spec.transforms, source.target.shape.length === 0 ? source.classes : null, "data");
  return {
    ...source,
    ...(oneHot === null ? {} : { target: { shape: [oneHot.classes], dtype: "f32" } as const }),
    input: { shape: inputShape(spec, result), dtype: "f32" },
    unit: spec.unit,
    ...(spec.placement === "device" ? { device: DeviceChain.part(spec.transforms, sample) } : {}),
  };
}

type Source = Pick<DatasetDescription, "train" | "test" | "target" | "classes">;

const LABEL = { shape: [], dtype: "i32" } as const;

function describeSource(spec: DataSpec): Source {
  switch (spec.kind) {
    case "cifar10":
      return spec.dir === null
        ? labelled(OFFICIAL_TRAIN_FILES * OFFICIAL_RECORDS, OFFICIAL_RECORDS, 10)
        : records(inspectCifar10(spec.dir), 10);
    case "cifar100":
      return records(inspectCifar100(spec.dir), spec.labels === "fine" ? 100 : 20);
    case "idx": {
      const { train, test } = inspectIdx(spec.dir);
      return labelled(train.length, test?.length ?? null, spec.classes);
    }
    case "imageFolder": {
      const train = inspectImageFolder(spec.dir);
      const test = spec.test === null ? null : inspectImageFolder(spec.test, train.classes);
      return labelled(train.length, test?.length ?? null, train.classes.length);
    }
    case "syntheticImages":
      return labelled(spec.length, null, spec.classes);
    case "tensors": {
      checkTensors(spec, "data");
      const { target } = spec.train;
      return {
        train: { length: splitLength(spec.train) },
        test: spec.test === null ? null : { length: splitLength(spec.test) },
        target: { shape: target.shape, dtype: target.data instanceof Int32Array ? "i32" : "f32" },
        classes: target.data instanceof Int32Array ? spec.classes : null,
      };
    }
    case "source":
      return describeModule(spec);
  }
}

function describeModule({ module, test, target, classes, length, testLength }: SourceSpec): Source {
  if (target.dtype === "i32" && target.shape.length === 0 && classes === null) {
    throw new InputError("data.classes is null, but the targets are class indices; give source({ classes })");
  }
  return {
    train: { length: moduleInfo(module, length).length },
    test: test === null ? null : { length: moduleInfo(test, testLength).length },
    target,
    classes: target.dtype === "i32" ? classes : null,
  };
}

function records({ train, test }: RecordFolder, classes: number): Source {
  const count = (files: readonly { records: number }[]) => files.reduce((sum, { records }) => sum + records, 0);
  return labelled(count(train), test === null ? null : count(test), classes);
}

function labelled(train: number, test: number | null, classes: number): Source {
  return { train: { length: train }, test: test === null ? null : { length: test }, target: LABEL, classes };
}

function inputShape(spec: DataSpec, { image, channels, height, width }: SizedType): Shape {
  if (image) return [channels, height, width];
  const own = ownShape(spec) ?? [];
  return sizeOf(own) === channels * height * width ? own : [channels * height * width];
}
