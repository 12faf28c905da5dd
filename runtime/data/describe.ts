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
  /** A sample as the source gives it, before the transforms. */
  readonly sample: SampleType;
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
 * How the samples of a split are made. The data set must be prepared.
 *
 * @throws {InputError} as `describeDataset`, if there is no test split, or if files that are read at once are damaged
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
  const further = Object.entries(others).map(([name, { shape, dtype }]) => {
    return [name, { dtype, length: sizeOf(shape as Shape) }];
  });
  const fields = further.length === 0 ? {} : { fields: Object.fromEntries(further) };
  const own = { sample: sampleType(input), targetDType: target.dtype, targetSize: sizeOf(target.shape), classes };
  return { source: { ...plan, ...own, ...fields }, transforms, fuse, placement, layout, seed, delay };
}

/** The shape that users see of what the transforms make of samples. */
function inputShape(own: Shape, { image, channels, height, width }: SizedType): Shape {
  if (image) return [channels, height, width];
  return sizeOf(own) === channels * height * width ? own : [channels * height * width];
}
