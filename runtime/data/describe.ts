import { InputError } from "../core/errors.ts";
import type { Layout } from "../core/layout.ts";
import { type Shape, sizeOf } from "../core/shape.ts";
import type { SamplePlan } from "./samples.ts";
import { sampleType, type Split } from "./sources/source_def.ts";
import { type DataSpec, sourceOf } from "./sources/sources.ts";
import { targetFormOf } from "./transforms/definitions.ts";
import { DeviceChain } from "./transforms/device_chain.ts";
import type { DevicePart } from "./transforms/device_part.ts";
import { resultType, type SizedType } from "./transforms/result_type.ts";
import type { SampleType } from "./transforms/transform.ts";

/** Description of a data set for a model and its loss. */
export interface DatasetDescription {
  /** Number of samples in each split. */
  readonly train: { readonly length: number };
  readonly test: { readonly length: number } | null;
  /** Logical shape of one sample after the transforms: `[channels, height, width]` for images. */
  readonly input: { readonly shape: Shape; readonly dtype: "f32" };
  /** Shape of one target; i32 targets are class indices. */
  readonly target: { readonly shape: Shape; readonly dtype: "i32" | "f32" };
  /** Number of classes; null unless targets are class indices. */
  readonly classes: number | null;
  readonly unit: "images" | "samples";
  /** Type of a sample before the transforms. */
  readonly sample: SampleType;
  /** Part of the transforms that the device runs; absent if the host runs them all. */
  readonly device?: DevicePart;
}

/**
 * Describes a data set by names, sizes and headers of files. Reads no samples, starts no workers and draws no stand-in.
 *
 * @throws {InputError} if files are missing or have a wrong size, tensors disagree, or a transform does not fit
 */
export function describeDataset(spec: DataSpec): DatasetDescription {
  const { train, test, fields, classes } = sourceOf(spec).describe(spec);
  const sample = sampleType(fields.input);
  const result = resultType(spec.transforms, sample, "data");
  const form = targetFormOf(spec.transforms, fields.target.shape.length === 0 ? classes : null, "data");
  return {
    train,
    test,
    target: form === null ? fields.target : { shape: [form.size], dtype: "f32" },
    classes,
    input: { shape: inputShape(fields.input.shape as Shape, result), dtype: "f32" },
    unit: spec.unit,
    sample,
    ...(spec.placement === "device" ? { device: DeviceChain.part(spec.transforms, sample) } : {}),
  };
}

/**
 * Plans how the samples of a split are made. The data set must be prepared.
 *
 * @throws {InputError} as `describeDataset`, if there is no test split, or if files that are read completely are damaged
 */
export function samplePlan(
  spec: DataSpec,
  { split, layout, seed }: { split: Split; layout: Layout; seed: number },
): SamplePlan {
  const { transforms, fuse, placement, delay } = spec;
  const source = sourceOf(spec);
  const plan = source.plan(spec, split);
  if (plan === null) throw new InputError(`The data set ${spec.kind} has no test split${source.noTest?.(spec) ?? ""}`);
  const { fields: { input, target, ...others }, classes } = source.describe(spec);
  const additional = Object.entries(others).map(([name, { shape, dtype }]) => {
    return [name, { dtype, length: sizeOf(shape as Shape) }];
  });
  const fields = additional.length === 0 ? {} : { fields: Object.fromEntries(additional) };
  const own = { sample: sampleType(input), targetDType: target.dtype, targetSize: sizeOf(target.shape), classes };
  return { source: { ...plan, ...own, ...fields }, transforms, fuse, placement, layout, seed, delay };
}

/** Returns the logical shape of samples after the transforms. */
function inputShape(own: Shape, { image, channels, height, width }: SizedType): Shape {
  if (image) return [channels, height, width];
  return sizeOf(own) === channels * height * width ? own : [channels * height * width];
}
