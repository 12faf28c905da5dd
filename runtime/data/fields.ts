/**
 * Fields of samples and batches: element types, sizes, and memory for them.
 *
 * @module
 */
import type { DataArray } from "./shared.ts";

/** Arrays by element type. */
interface Arrays {
  readonly f32: Float32Array;
  readonly i32: Int32Array;
  readonly u32: Uint32Array;
  readonly u8: Uint8Array;
}

type FieldType = keyof Arrays;

/** Number of elements of one field. A sample fills whole 4-byte words, since the device reads u8 as words. */
export interface FieldSize<T extends FieldType = FieldType> {
  readonly dtype: T;
  readonly length: number;
}

/** Sizes of the fields of a sample or a batch. A u32 input holds bytes that the device finishes. */
export type FieldSizes = { readonly target: FieldSize<"i32" | "f32"> } & { readonly [name: string]: FieldSize };

/** Memory of a sample or a batch, by field. */
export type FieldArrays = { readonly target: Int32Array | Float32Array } & { readonly [name: string]: DataArray };

interface Constructor<A> {
  readonly name: string;
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, offset: number, length: number): A;
}

const ARRAYS: { readonly [T in FieldType]: Constructor<Arrays[T]> } = {
  f32: Float32Array,
  i32: Int32Array,
  u32: Uint32Array,
  u8: Uint8Array,
};

/** Returns true for an array of a field's type and size. */
export function isFieldArray({ dtype, length }: FieldSize, values: unknown): values is DataArray {
  return values instanceof ARRAYS[dtype] && (values as DataArray).length === length;
}

/** Returns the name of the array type of a field, such as `Float32Array`. */
export function arrayName({ dtype }: FieldSize): string {
  return ARRAYS[dtype].name;
}

/** Returns the elements from one sample to the next, for `size` values per sample. */
export function paddedLength(dtype: FieldType, size: number): number {
  const inWord = 4 / ARRAYS[dtype].BYTES_PER_ELEMENT;
  return Math.ceil(size / inWord) * inWord;
}

/** Returns the bytes of a field. */
export function fieldBytes({ dtype, length }: FieldSize): number {
  return length * ARRAYS[dtype].BYTES_PER_ELEMENT;
}

/** Returns the bytes of all fields. */
export function totalBytes(fields: FieldSizes): number {
  return Object.values(fields).reduce((sum, field) => sum + fieldBytes(field), 0);
}

/** Returns a view of the `place`-th part of each field's buffer. */
export function viewFields(
  fields: FieldSizes,
  bufferOf: (name: string, field: FieldSize) => ArrayBufferLike,
  place = 0,
): FieldArrays {
  return mapFields(
    fields,
    (name, field) => new ARRAYS[field.dtype](bufferOf(name, field), place * fieldBytes(field), field.length),
  ) as FieldArrays;
}

/** Allocates memory of the calling thread. */
export function allocateFields(fields: FieldSizes): FieldArrays {
  return viewFields(fields, (_, field) => new ArrayBuffer(fieldBytes(field)));
}

/** Returns the sizes of the fields of `count` samples. */
export function repeated(fields: FieldSizes, count: number): FieldSizes {
  return mapFields(fields, (_, { dtype, length }) => ({ dtype, length: count * length })) as FieldSizes;
}

function mapFields<T>(fields: FieldSizes, make: (name: string, field: FieldSize) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, make(name, field)]));
}
