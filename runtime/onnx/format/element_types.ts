/**
 * Element types of ONNX tensors, `TensorProto.DataType`.
 *
 * @module
 */
import { InputError } from "../../core/errors.ts";

/** Kind of a tensor's elements: floats are computed as f32, or as f16 under AMP; integers and truth values as numbers. */
export type ElementKind = "float" | "integer" | "boolean";

/** An element type. */
export interface ElementType {
  readonly name: string;
  readonly kind: ElementKind;
  /** Bytes per element. */
  readonly width: number;
  /** Decodes little-endian elements. */
  decode(raw: Uint8Array, into: Float32Array | Float64Array): void;
  /** Decodes an element that is listed as a number: halves are listed as their bits. */
  listed(value: number): number;
}

type Get = (view: DataView, at: number) => number;

function type(
  name: string,
  kind: ElementKind,
  width: number,
  get: Get,
  listed = (value: number) => value,
): ElementType {
  const decode = (raw: Uint8Array, into: Float32Array | Float64Array) => {
    const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
    for (let i = 0; i < into.length; i++) into[i] = get(view, i * width);
  };
  return { name, kind, width, decode, listed };
}

/** Elements of f32 are copied at once. Hosts of WebGPU are little-endian. */
const f32: ElementType = {
  ...type("float32", "float", 4, (view, at) => view.getFloat32(at, true)),
  decode: (raw, into) => into.set(new Float32Array(raw.slice().buffer)),
};

const bits = new DataView(new ArrayBuffer(4));

function halfOf(value: number): number {
  bits.setUint16(0, value);
  return bits.getFloat16(0);
}

function brainOf(value: number): number {
  bits.setUint32(0, value * 0x10000);
  return bits.getFloat32(0);
}

/** Supported types by number. */
const TYPES: Readonly<Record<number, ElementType>> = {
  1: f32,
  2: type("uint8", "integer", 1, (view, at) => view.getUint8(at)),
  3: type("int8", "integer", 1, (view, at) => view.getInt8(at)),
  4: type("uint16", "integer", 2, (view, at) => view.getUint16(at, true)),
  5: type("int16", "integer", 2, (view, at) => view.getInt16(at, true)),
  6: type("int32", "integer", 4, (view, at) => view.getInt32(at, true)),
  7: type("int64", "integer", 8, (view, at) => Number(view.getBigInt64(at, true))),
  9: type("bool", "boolean", 1, (view, at) => view.getUint8(at) === 0 ? 0 : 1, (value) => value === 0 ? 0 : 1),
  10: type("float16", "float", 2, (view, at) => view.getFloat16(at, true), halfOf),
  11: type("float64", "float", 8, (view, at) => view.getFloat64(at, true)),
  12: type("uint32", "integer", 4, (view, at) => view.getUint32(at, true)),
  13: type("uint64", "integer", 8, (view, at) => Number(view.getBigUint64(at, true))),
  16: type("bfloat16", "float", 2, (view, at) => brainOf(view.getUint16(at, true)), brainOf),
};

/** Names of types that are not supported, for messages. */
const OTHERS: Readonly<Record<number, string>> = {
  0: "undefined",
  8: "string",
  14: "complex64",
  15: "complex128",
  17: "float8e4m3fn",
  18: "float8e4m3fnuz",
  19: "float8e5m2",
  20: "float8e5m2fnuz",
  21: "uint4",
  22: "int4",
  23: "float4e2m1",
};

/**
 * Returns an element type.
 *
 * @param what its owner in the message
 * @throws {InputError} if the type is not supported
 */
export function elementType(number: number, what: string): ElementType {
  const known = TYPES[number];
  if (known !== undefined) return known;
  throw new InputError(
    `${what} has elements of type ${OTHERS[number] ?? number}; expected floats, integers or truth values`,
  );
}

/** Returns the name of an element type, supported or not. */
export function typeName(number: number): string {
  return TYPES[number]?.name ?? OTHERS[number] ?? `type ${number}`;
}
