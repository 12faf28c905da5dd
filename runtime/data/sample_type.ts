import { sizeOf } from "../core/shape.ts";
import { inspectIdx } from "./idx_folder.ts";
import type { DataSpec, TensorSplitSpec } from "./schema.ts";
import type { SampleType } from "./transforms/transform.ts";

/** A sample before the transforms. */
export function sampleType(spec: DataSpec): SampleType {
  switch (spec.kind) {
    case "cifar10":
    case "cifar100":
      return { dtype: "u8", channels: 3, height: 32, width: 32, order: "chw", image: true };
    case "idx":
      return idxType(inspectIdx(spec.dir).train.images.shape.slice(1));
    case "imageFolder":
      return {
        dtype: "u8",
        channels: spec.channels,
        height: spec.size?.[0] ?? null,
        width: spec.size?.[1] ?? null,
        order: "hwc",
        image: true,
      };
    case "syntheticImages":
      return {
        dtype: "u8",
        channels: spec.channels,
        height: spec.height,
        width: spec.width,
        order: "chw",
        image: true,
      };
    case "tensors":
      return tensorType(spec.train.input);
    case "source":
      return shapedType(spec.input.dtype, spec.input.shape);
  }
}

/** The shape that a sample of a set without images has to the user. */
export function ownShape(spec: DataSpec): readonly number[] | null {
  if (spec.kind === "tensors") return spec.train.input.shape;
  return spec.kind === "source" ? spec.input.shape : null;
}

function tensorType({ shape, data }: TensorSplitSpec["input"]): SampleType {
  return shapedType(data instanceof Uint8Array ? "u8" : "f32", shape);
}

/** `[height, width]` is an image of one channel. */
function idxType(shape: readonly number[]): SampleType {
  return shapedType("u8", shape.length === 2 ? [1, ...shape] : shape);
}

/** `[channels, height, width]` is an image; all else is one row. */
function shapedType(dtype: "u8" | "f32", shape: readonly number[]): SampleType {
  const [channels, height, width] = shape;
  if (shape.length === 3) {
    return { dtype, channels: channels!, height: height!, width: width!, order: "chw", image: true };
  }
  return { dtype, channels: 1, height: 1, width: sizeOf(shape), order: "chw", image: false };
}
