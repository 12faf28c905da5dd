/**
 * Loads and stores of storage buffers by element type. Arithmetic is always f32: a load widens, a store narrows. The
 * elements of a buffer are single numbers, or vectors of four neighbouring numbers.
 *
 * @module
 */

import { type DType, type FloatType, isFloat } from "../../runtime/core/dtype.ts";
import type { BufferRef, Epilogue } from "../../runtime/device/kernel.ts";

/** A buffer with float elements. */
export interface FloatBuffer {
  readonly ref: BufferRef;
  readonly dtype: FloatType;
  /** Input that this output overwrites, in kernels that read the input where they write. */
  readonly over?: BufferRef;
  /** Applied to stored values before rounding. */
  readonly epilogue?: Epilogue | undefined;
}

/** Returns the element type of a buffer that is accessed `width` numbers at a time, such as `vec4<f16>`. */
export function elementType(dtype: FloatType, width: 1 | 4): string {
  return width === 1 ? dtype : `vec4<${dtype}>`;
}

/** Returns the expression for element `index` of `buffer` as `f32` or `vec4<f32>`. */
export function load(buffer: string, index: string, dtype: FloatType, width: 1 | 4): string {
  return dtype === "f32" ? `${buffer}[${index}]` : `${elementType("f32", width)}(${buffer}[${index}])`;
}

/** Returns the expression for the numbers at four indices of a buffer of single numbers, as `vec4<f32>`. */
export function gather(buffer: string, indices: readonly [string, string, string, string], dtype: FloatType): string {
  return `vec4<f32>(${indices.map((index) => load(buffer, index, dtype, 1)).join(", ")})`;
}

/**
 * Returns the statement that writes an `f32` or `vec4<f32>` to element `index` of `buffer`, through its epilogue if
 * any.
 */
export function store(
  buffer: string,
  index: string,
  value: string,
  { dtype, epilogue }: Pick<FloatBuffer, "dtype" | "epilogue">,
  width: 1 | 4,
): string {
  const type = elementType(dtype, width);
  const stored = epilogue === undefined
    ? dtype === "f32" ? value : `${type}(${value})`
    : width === 4
    ? `${type}(epilogue(vec4<f32>(${value})))`
    : `${type}(epilogue(vec4<f32>(f32(${value}))).x)`;
  return `${buffer}[${index}] = ${stored};`;
}

/** Returns 4 if contiguous rows of `length` numbers all start at a multiple of four, 1 otherwise. */
export function vectorWidth(length: number): 1 | 4 {
  return length % 4 === 0 ? 4 : 1;
}

/** Returns the float type of a tensor that has passed its op's shape rule. */
export function floatType(type: { readonly dtype: DType }): FloatType {
  if (!isFloat(type.dtype)) throw new Error(`Expected a float tensor, got ${type.dtype}`);
  return type.dtype;
}
