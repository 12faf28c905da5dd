/**
 * Writes ONNX files by the field numbers of onnx.proto, for tests.
 *
 * @module
 */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** A tensor of a file. */
export interface FileTensor {
  readonly name?: string;
  readonly shape: readonly number[];
  /** Default: float32. */
  readonly type?: "float32" | "int64" | "int32" | "bool" | "float16" | "float64" | "uint8" | "int8";
  readonly values: readonly number[];
  /** Place of the elements in another file, in place of `values`. */
  readonly external?: Readonly<Record<string, string | number>>;
}

/** Value of an attribute: a whole number is an integer, `{ float }` a float whatever its value. */
export type FileAttribute =
  | number
  | string
  | readonly number[]
  | { readonly float: number }
  | { readonly floats: readonly number[] }
  | { readonly strings: readonly string[] }
  | { readonly tensor: FileTensor }
  | { readonly graph: FileGraph }
  /** Name of the function's attribute whose value this one takes. */
  | { readonly reference: string };

export interface FileNode {
  readonly type: string;
  readonly domain?: string;
  readonly name?: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: Readonly<Record<string, FileAttribute>>;
}

/** An input or output. A dimension may have a name. */
export interface FileValue {
  readonly name: string;
  /** Default: float32. */
  readonly type?: FileTensor["type"];
  readonly shape?: readonly (number | string)[];
}

export interface FileGraph {
  readonly inputs?: readonly FileValue[];
  readonly outputs: readonly FileValue[];
  readonly nodes: readonly FileNode[];
  readonly initializers?: readonly FileTensor[];
}

/** An operator that the file defines. */
export interface FileFunction {
  readonly name: string;
  readonly domain: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly nodes: readonly FileNode[];
}

/** Kind of a value, as PyTorch's exporter declares it. */
export type PyTorchKind = "PARAMETER" | "BUFFER";

export interface FileModel extends FileGraph {
  /** Default: 17. */
  readonly opset?: number;
  readonly functions?: readonly FileFunction[];
  /** Default: tests. */
  readonly producer?: string;
  /** Kinds of values by name, as PyTorch's exporter declares them. */
  readonly declared?: ReadonlyMap<string, PyTorchKind>;
}

const TYPES = { float32: 1, int32: 6, int64: 7, bool: 9, float16: 10, float64: 11, uint8: 2, int8: 3 };

/** Returns the bytes of a model. */
export function onnxFile(
  { opset = 17, functions = [], producer = "tests", ...graph }: FileModel,
): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.Varint).int64(8);
  writer.tag(2, WireType.LengthDelimited).string(producer);
  writer.tag(7, WireType.LengthDelimited).bytes(graphBytes(graph));
  const set = new BinaryWriter().tag(1, WireType.LengthDelimited).string("").tag(2, WireType.Varint).int64(opset);
  writer.tag(8, WireType.LengthDelimited).bytes(set.finish());
  for (const called of functions) writer.tag(25, WireType.LengthDelimited).bytes(functionBytes(called, opset));
  return Uint8Array.from(writer.finish());
}

function functionBytes({ name, domain, inputs, outputs, nodes }: FileFunction, opset: number): Uint8Array {
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).string(name);
  for (const input of inputs) writer.tag(4, WireType.LengthDelimited).string(input);
  for (const output of outputs) writer.tag(5, WireType.LengthDelimited).string(output);
  for (const node of nodes) writer.tag(7, WireType.LengthDelimited).bytes(nodeBytes(node));
  const set = new BinaryWriter().tag(1, WireType.LengthDelimited).string("").tag(2, WireType.Varint).int64(opset);
  writer.tag(9, WireType.LengthDelimited).bytes(set.finish());
  return writer.tag(10, WireType.LengthDelimited).string(domain).finish();
}

/** Returns the bytes of a tensor. */
export function tensorBytes({ name = "", shape, type = "float32", values, external }: FileTensor): Uint8Array {
  const writer = new BinaryWriter();
  for (const size of shape) writer.tag(1, WireType.Varint).int64(size);
  writer.tag(2, WireType.Varint).int32(TYPES[type]);
  writer.tag(8, WireType.LengthDelimited).string(name);
  if (external === undefined) return writer.tag(9, WireType.LengthDelimited).bytes(rawBytes(type, values)).finish();
  for (const [key, value] of Object.entries(external)) {
    const entry = new BinaryWriter().tag(1, WireType.LengthDelimited).string(key);
    writer.tag(13, WireType.LengthDelimited).bytes(entry.tag(2, WireType.LengthDelimited).string(`${value}`).finish());
  }
  return writer.tag(14, WireType.Varint).int32(1).finish();
}

function rawBytes(type: NonNullable<FileTensor["type"]>, values: readonly number[]): Uint8Array {
  switch (type) {
    case "float32":
      return new Uint8Array(Float32Array.from(values).buffer);
    case "float16":
      return new Uint8Array(Float16Array.from(values).buffer);
    case "float64":
      return new Uint8Array(Float64Array.from(values).buffer);
    case "int8":
      return new Uint8Array(Int8Array.from(values).buffer);
    case "int32":
      return new Uint8Array(Int32Array.from(values).buffer);
    case "int64":
      return new Uint8Array(BigInt64Array.from(values.map(BigInt)).buffer);
    case "bool":
    case "uint8":
      return Uint8Array.from(values);
  }
}

function graphBytes(
  { nodes, inputs = [], outputs, initializers = [], declared }: FileGraph & Pick<FileModel, "declared">,
) {
  const writer = new BinaryWriter();
  for (const node of nodes) writer.tag(1, WireType.LengthDelimited).bytes(nodeBytes(node));
  writer.tag(2, WireType.LengthDelimited).string("graph");
  for (const tensor of initializers) writer.tag(5, WireType.LengthDelimited).bytes(tensorBytes(tensor));
  for (const value of inputs) writer.tag(11, WireType.LengthDelimited).bytes(valueBytes(value));
  for (const value of outputs) writer.tag(12, WireType.LengthDelimited).bytes(valueBytes(value));
  for (const [name, kind] of declared ?? []) {
    const entry = new BinaryWriter().tag(1, WireType.LengthDelimited)
      .string("pkg.torch.export.graph_signature.InputSpec.kind").tag(2, WireType.LengthDelimited).string(kind);
    const described = new BinaryWriter().tag(1, WireType.LengthDelimited).string(name)
      .tag(4, WireType.LengthDelimited).bytes(entry.finish());
    writer.tag(13, WireType.LengthDelimited).bytes(described.finish());
  }
  return writer.finish();
}

function nodeBytes({ type, domain = "", name = "", inputs, outputs, attributes = {} }: FileNode): Uint8Array {
  const writer = new BinaryWriter();
  for (const input of inputs) writer.tag(1, WireType.LengthDelimited).string(input);
  for (const output of outputs) writer.tag(2, WireType.LengthDelimited).string(output);
  writer.tag(3, WireType.LengthDelimited).string(name);
  writer.tag(4, WireType.LengthDelimited).string(type);
  for (const [key, value] of Object.entries(attributes)) {
    writer.tag(5, WireType.LengthDelimited).bytes(attributeBytes(key, value));
  }
  writer.tag(7, WireType.LengthDelimited).string(domain);
  return writer.finish();
}

function attributeBytes(name: string, value: FileAttribute): Uint8Array {
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).string(name);
  if (typeof value === "number") {
    if (Number.isInteger(value)) writer.tag(3, WireType.Varint).int64(value);
    else writer.tag(2, WireType.Bit32).float(value);
  } else if (typeof value === "string") {
    writer.tag(4, WireType.LengthDelimited).string(value);
  } else if ("float" in value) {
    writer.tag(2, WireType.Bit32).float(value.float);
  } else if ("floats" in value) {
    for (const number of value.floats) writer.tag(7, WireType.Bit32).float(number);
  } else if ("strings" in value) {
    for (const text of value.strings) writer.tag(9, WireType.LengthDelimited).string(text);
  } else if ("reference" in value) {
    writer.tag(21, WireType.LengthDelimited).string(value.reference);
  } else if ("tensor" in value) {
    writer.tag(5, WireType.LengthDelimited).bytes(tensorBytes(value.tensor));
  } else if ("graph" in value) {
    writer.tag(6, WireType.LengthDelimited).bytes(graphBytes(value.graph));
  } else {
    for (const number of value) writer.tag(8, WireType.Varint).int64(number);
  }
  return writer.finish();
}

function valueBytes({ name, type = "float32", shape }: FileValue): Uint8Array {
  const tensor = new BinaryWriter().tag(1, WireType.Varint).int32(TYPES[type]);
  if (shape !== undefined) {
    const sizes = new BinaryWriter();
    for (const size of shape) {
      const dimension = new BinaryWriter();
      if (typeof size === "number") dimension.tag(1, WireType.Varint).int64(size);
      else dimension.tag(2, WireType.LengthDelimited).string(size);
      sizes.tag(1, WireType.LengthDelimited).bytes(dimension.finish());
    }
    tensor.tag(2, WireType.LengthDelimited).bytes(sizes.finish());
  }
  const described = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(tensor.finish());
  return new BinaryWriter()
    .tag(1, WireType.LengthDelimited).string(name)
    .tag(2, WireType.LengthDelimited).bytes(described.finish()).finish();
}
