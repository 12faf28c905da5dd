/**
 * Conversion between host numbers and the element types of the device. `Float16Array` does the half-precision part.
 *
 * @module
 */
import type { DType } from "./dtype.ts";

/** Encodes values as the device stores them, in order. f16 rounds to nearest, ties to even. */
export function encode(values: ArrayLike<number>, dtype: DType): ArrayBuffer {
  switch (dtype) {
    case "f32":
      return new Float32Array(values).buffer;
    case "f16":
      return new Float16Array(values).buffer;
    case "i32":
      return new Int32Array(values).buffer;
    case "u32":
      return new Uint32Array(values).buffer;
  }
}

/** Decodes bytes from the device into a typed array of f32 (f16 is widened) or integers. */
export function decode(
  bytes: ArrayBuffer,
  dtype: DType,
): Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> {
  switch (dtype) {
    case "f32":
      return new Float32Array(bytes);
    case "f16":
      return Float32Array.from(new Float16Array(bytes));
    case "i32":
      return new Int32Array(bytes);
    case "u32":
      return new Uint32Array(bytes);
  }
}
