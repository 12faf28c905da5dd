/**
 * Options of kernels that map rows of a matrix to rows, and what their code is made of.
 *
 * @module
 */
import type { BufferRef, UniformValue } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import type { FloatBuffer } from "./float_buffer.ts";

/** A tensor that a kernel reads: rows, one row that all rows share, or one number per row. */
export interface RowInput extends FloatBuffer {
  readonly kind: "rows" | "row" | "number";
}

/** Options of a loop that writes an output. */
export interface RowWrite {
  /** Statements before the value. */
  readonly before?: string;
  /** True if all numbers are from 0 to 1, or NaN, which makes rounding to f16 faster. */
  readonly unit?: boolean;
}

/** Building blocks of the code of a row. `T` is the f32 type of a place, which holds one or four numbers. */
export interface RowCode {
  /**
   * Returns a loop over the places of the row, restricted to the range, with the named inputs as variables of type `T`.
   * `k` is the place in the row.
   */
  each(inputs: readonly string[], statements: string): string;
  /** Returns such a loop that writes `value` to every place of an output. */
  write(inputs: readonly string[], output: string, value: string, options?: RowWrite): string;
  /** Returns the sum over the row of `value`, a `T` that a loop has accumulated. */
  sum(value: string): string;
  /** Returns the largest `value` of the row's members, an `f32`. */
  max(value: string): string;
}

export interface RowMapOptions {
  readonly name: string;
  readonly n: number;
  readonly width: number;
  readonly traits: DeviceTraits;
  readonly inputs: Readonly<Record<string, RowInput>>;
  /** Outputs of rows. */
  readonly outputs: Readonly<Record<string, FloatBuffer>>;
  /** Outputs of one f32 per row, with the variable of its value. */
  readonly numbers?: Readonly<Record<string, BufferRef>>;
  readonly uniforms?: Readonly<Record<string, UniformValue>>;
  readonly prelude?: string;
  /** Statements that declare `low` and `high`, the first column and the one after the last; the whole row by default. */
  readonly range?: string;
  readonly body: (code: RowCode) => string;
}

/** Returns WGSL of `sumOf(v)` and `maxOf(v)`, the sum and the largest number of a place, an `f32`. */
export function foldsOf(width: 1 | 4): string {
  return width === 1
    ? "fn sumOf(v: f32) -> f32 { return v; }\nfn maxOf(v: f32) -> f32 { return v; }"
    : "fn sumOf(v: vec4<f32>) -> f32 { return (v.x + v.y) + (v.z + v.w); }\n" +
      "fn maxOf(v: vec4<f32>) -> f32 { return max(max(v.x, v.y), max(v.z, v.w)); }";
}
