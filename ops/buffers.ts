import { DTYPE_BYTES } from "../runtime/core/dtype.ts";
import { sizeOf } from "../runtime/core/shape.ts";
import type { BufferRef } from "../runtime/device/kernel.ts";
import type { TensorType } from "../runtime/graph/types.ts";
import { type FloatBuffer, floatType } from "./kernels/access.ts";

/** Describes the buffer of a tensor of a float type. */
export function floatBuffer(ref: BufferRef, type: TensorType): FloatBuffer {
  return { ref, dtype: floatType(type) };
}

/** Returns the total size of the tensors, in bytes; `undefined` is an optional input that is absent. */
export function bytesOf(...types: readonly (TensorType | undefined)[]): number {
  return types.reduce(
    (bytes, type) => bytes + (type === undefined ? 0 : sizeOf(type.shape) * DTYPE_BYTES[type.dtype]),
    0,
  );
}
