/**
 * Tensors of ONNX files: `TensorProto`.
 *
 * @module
 */
import { InputError } from "../../core/errors.ts";
import { formatShape, type Shape, sizeOf } from "../../core/shape.ts";
import { clipped } from "../../core/shown.ts";
import { type ElementKind, elementType } from "./element_types.ts";
import { bytes, doubles, floats, integer, integers, readMessage, text, unsigned } from "./messages.ts";

/** A tensor as it lies in the file. */
export interface StoredTensor {
  readonly name: string;
  readonly shape: Shape;
  /** Number of the element type (`TensorProto.DataType`). */
  readonly type: number;
  /** Elements as little-endian bytes; null if they are in `numbers` or in another file. */
  readonly raw: Uint8Array | null;
  /** Elements that the file lists by one. */
  readonly numbers: readonly number[];
  /** Place of the elements in another file. */
  readonly external: ExternalData | null;
}

/** Place of a tensor's elements in another file. */
export interface ExternalData {
  /** Path, relative to the model's folder. */
  readonly location: string;
  /** In bytes. */
  readonly offset: number;
  /** In bytes; null up to the end of the file. */
  readonly length: number | null;
}

/** Elements of a tensor, in row-major order. Integers beyond 2^53 lose their last bits. */
export interface Elements {
  readonly kind: ElementKind;
  readonly shape: Shape;
  readonly values: Float32Array | Float64Array;
}

/** `data_location` of elements in another file. */
const EXTERNAL = 1;

/** Most dimensions of a tensor. */
export const MAX_DIMENSIONS = 64;

/** Reads the description of a tensor. */
export function readTensor(content: Uint8Array): StoredTensor {
  const shape: number[] = [];
  const numbers: number[] = [];
  const external = new Map<string, string>();
  let [name, type, location] = ["", 0, 0];
  let raw: Uint8Array | null = null;
  readMessage(content, "a tensor", {
    1: integers(shape),
    2: integer((value) => type = value),
    4: floats(numbers),
    5: integers(numbers),
    7: integers(numbers),
    8: text((value) => name = value),
    9: bytes((value) => raw = value),
    10: doubles(numbers),
    11: unsigned(numbers),
    13: bytes((value) => readEntry(value, external)),
    14: integer((value) => location = value),
  });
  if (shape.length > MAX_DIMENSIONS) {
    throw new InputError(
      `the tensor "${clipped(name)}" has ${shape.length} dimensions; expected at most ${MAX_DIMENSIONS}`,
    );
  }
  if (shape.some((size) => !Number.isSafeInteger(size) || size < 0)) {
    throw new InputError(
      `the tensor "${clipped(name)}" has the shape ${formatShape(shape)}; expected sizes of at least 0`,
    );
  }
  return { name, shape, type, raw, numbers, external: location === EXTERNAL ? externalData(name, external) : null };
}

/** Reads a key and its value. */
export function readEntry(content: Uint8Array, into: Map<string, string>): void {
  let [key, value] = ["", ""];
  readMessage(content, "an entry", { 1: text((given) => key = given), 2: text((given) => value = given) });
  into.set(key, value);
}

function externalData(name: string, entries: ReadonlyMap<string, string>): ExternalData {
  const location = entries.get("location") ?? "";
  const [offset, length] = [entries.get("offset") ?? "0", entries.get("length") ?? null];
  for (const number of [offset, length]) {
    if (number === null || (/^\d+$/.test(number) && Number.isSafeInteger(Number(number)))) continue;
    throw new InputError(
      `the tensor "${clipped(name)}" is in another file at ${clipped(number)}; expected a number of bytes`,
    );
  }
  return { location, offset: Number(offset), length: length === null ? null : Number(length) };
}

/**
 * Returns a tensor's elements. Doubles are rounded to f32.
 *
 * @param readExternal reads elements in another file
 * @throws {InputError} if the type is not supported, or the number of elements is not that of the shape
 */
export function elementsOf(
  tensor: StoredTensor,
  readExternal: (place: ExternalData, tensor: StoredTensor) => Uint8Array,
): Elements {
  const { name, shape, type, numbers, external } = tensor;
  const { kind, width, decode, listed } = elementType(type, `the tensor "${clipped(name)}"`);
  checkTensor(tensor);
  const size = sizeOf(shape);
  const raw = external === null ? tensor.raw : readExternal({ ...external, length: size * width }, tensor);
  const made = kind === "float" ? new Float32Array(size) : new Float64Array(size);
  if (raw === null) {
    for (let i = 0; i < size; i++) made[i] = listed(numbers[i]!);
    return { kind, shape, values: made };
  }
  decode(raw, made);
  return { kind, shape, values: made };
}

/** Returns the first elements of a tensor. */
export function headOf(tensor: StoredTensor, count: number): StoredTensor {
  const size = sizeOf(tensor.shape);
  if (count >= size) return tensor;
  const { raw, numbers, external } = tensor;
  return {
    ...tensor,
    shape: [count],
    raw: raw === null ? null : raw.subarray(0, raw.length / size * count),
    numbers: numbers.slice(0, count),
    external: external === null ? null : { ...external, length: null },
  };
}

/**
 * Checks a tensor's description, without its elements in another file.
 *
 * @throws {InputError} as {@linkcode elementsOf} does
 */
export function checkTensor({ name, shape, type, numbers, raw, external }: StoredTensor): void {
  const what = `the tensor "${clipped(name)}"`;
  const { width } = elementType(type, what);
  const size = sizeOf(shape);
  const bytes = external === null ? raw?.length ?? null : external.length ?? size * width;
  const [found, wanted] = bytes === null ? [numbers.length, size] : [bytes, size * width];
  if (found === wanted) return;
  const unit = bytes === null ? "elements" : "bytes";
  throw new InputError(`${what} has ${found} ${unit}; expected ${wanted} for the shape ${formatShape(shape)}`);
}
