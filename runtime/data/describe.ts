import { InputError } from "../core/errors.ts";
import type { Layout } from "../core/layout.ts";
import { type Shape, sizeOf } from "../core/shape.ts";
import { checkCachePoint } from "./cache/cache_point.ts";
import type { SamplePlan } from "./samples.ts";
import { type Field, sampleType, type Split, type Unit } from "./sources/source_def.ts";
import { type DataSpec, sourceOf } from "./sources/sources.ts";
import { changingInputs, resultType, type SizedType, targetFormOf } from "./transforms/definitions.ts";
import { DeviceChain } from "./transforms/device_chain.ts";
import type { DevicePart, SampleType } from "./transforms/transform.ts";

/** Field of one sample after the transforms. */
export interface FieldDescription<T extends "f32" | "i32" | "u32" = "f32" | "i32" | "u32"> {
  /** Logical shape: `[channels, height, width]` for images. */
  readonly shape: Shape;
  readonly dtype: T;
}

/** Description of a data set for a model and its loss. */
export interface DatasetDescription {
  /** Number of samples in each split. */
  readonly train: { readonly length: number };
  readonly test: { readonly length: number } | null;
  /** The model's input; null if it takes several. */
  readonly input: FieldDescription<"f32" | "i32"> | null;
  /** All inputs of the model, by name. */
  readonly inputs: Readonly<Record<string, FieldDescription<"f32" | "i32">>>;
  /** i32 targets are class indices. */
  readonly target: FieldDescription<"i32" | "f32">;
  /** Further fields, which losses in code can read; fields of bytes are left out. */
  readonly fields: Readonly<Record<string, FieldDescription>>;
  /** Number of classes; null unless targets are class indices. */
  readonly classes: number | null;
  /** Unit of throughput. */
  readonly unit: Unit;
  /** Units of one sample: 1, or the positions of its first input if they are tokens. */
  readonly unitsPerSample: number;
  /** Type of a sample before the transforms; null if inputs are copied unchanged. */
  readonly sample: SampleType | null;
  /** Part of the transforms that the device runs; absent if the host runs them all. */
  readonly device?: DevicePart;
}

/**
 * Describes a data set by names, sizes and headers of files. Reads no samples, starts no workers and draws no stand-in.
 *
 * @throws {InputError} if files are missing or have a wrong size, tensors disagree, or a transform does not fit
 */
export function describeDataset(spec: DataSpec): DatasetDescription {
  const { train, test, fields, classes, inputs: names } = sourceOf(spec).describe(spec);
  const sample = sampleType(fields);
  const { input: own, target, ...others } = fields;
  const form = targetFormOf(spec.transforms, target.shape.length === 0 ? classes : null, "data");
  if (sample === null) checkUnchanged(spec, names);
  if (spec.cache !== null) checkCachePoint({ ...spec, cache: spec.cache }, sample);
  const input = own && sample !== null ? transformed(spec, own, sample) : own as FieldDescription<"i32"> | undefined;
  const further = (Object.entries(others) as [string, FieldDescription | undefined][])
    .filter((entry): entry is [string, FieldDescription] => entry[1] !== undefined);
  return {
    train,
    test,
    target: form === null ? target : { shape: [form.size], dtype: "f32" },
    classes,
    input: input === undefined ? null : typeOf(input),
    inputs: Object.fromEntries(
      (input === undefined ? further.filter(([name]) => names?.includes(name)) : [["input", input] as const])
        .map(([name, type]) => [name, typeOf(type) as FieldDescription<"f32" | "i32">]),
    ),
    fields: Object.fromEntries(
      further.filter(([name, { dtype }]) => !names?.includes(name) && (dtype as string) !== "u8")
        .map(([name, type]) => [name, typeOf(type)]),
    ),
    unit: spec.unit,
    unitsPerSample: spec.unit === "tokens" ? positions(input ?? fields[names![0]!]!) : 1,
    sample,
    ...(spec.placement === "device" && sample !== null ? { device: DeviceChain.part(spec.transforms, sample) } : {}),
  };
}

/** Returns what to call samples in messages: tokens come in sequences. */
export function samplesNoun(unit: Unit): string {
  return unit === "tokens" ? "sequences" : unit;
}

/** Returns the positions of an input: all elements of indices, else the first dimension. */
function positions({ shape, dtype }: Pick<Field, "shape" | "dtype">): number {
  return dtype === "i32" ? sizeOf(shape as Shape) : shape[0] ?? 1;
}

function typeOf<T extends FieldDescription["dtype"]>({ shape, dtype }: FieldDescription<T>): FieldDescription<T> {
  return { shape, dtype };
}

/** Returns the model's input after the transforms. */
function transformed({ transforms }: DataSpec, { shape }: Field, sample: SampleType): FieldDescription<"f32"> {
  return { shape: inputShape(shape as Shape, resultType(transforms, sample, "data")), dtype: "f32" };
}

/** @throws {InputError} if settings would change inputs that are copied unchanged */
function checkUnchanged({ transforms, placement }: DataSpec, names: readonly string[] | undefined): void {
  const what = names === undefined ? "an i32 input" : `several inputs (${names.join(", ")})`;
  const changing = changingInputs(transforms);
  if (changing.length > 0) {
    throw new InputError(
      `data.transforms: ${
        changing.join(", ")
      } cannot change ${what}, which the model gets unchanged; remove them, or ` +
        "prepare the samples where they are made",
    );
  }
  if (placement === "device") {
    throw new InputError(`data.placement is "device", but there are no transforms of ${what}; expected "host"`);
  }
}

/**
 * Plans how the samples of a split are made, without a cache. The data set must be prepared.
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
  const { fields: described, classes } = source.describe(spec);
  const sample = sampleType(described);
  const { target, ...others } = described;
  const unchanged = Object.entries(others).flatMap(([name, field]) =>
    field === undefined || (sample !== null && name === "input")
      ? []
      : [[name, { dtype: field.dtype, length: sizeOf(field.shape as Shape) }] as const]
  );
  const fields = unchanged.length === 0 ? {} : { fields: Object.fromEntries(unchanged) };
  const own = { sample, targetDType: target.dtype, targetSize: sizeOf(target.shape), classes };
  return { source: { ...plan, ...own, ...fields }, transforms, fuse, placement, layout, seed, delay, cache: null };
}

/** Returns the logical shape of samples after the transforms. */
function inputShape(own: Shape, { image, channels, height, width }: SizedType): Shape {
  if (image) return [channels, height, width];
  return sizeOf(own) === channels * height * width ? own : [channels * height * width];
}
