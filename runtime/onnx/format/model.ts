/**
 * The messages of an ONNX file, as far as they matter here (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
 *
 * @module
 */
import { InputError } from "../../core/errors.ts";
import { bytes, float, floats, integer, integers, readMessage, text } from "./messages.ts";
import { readEntry, readTensor, type StoredTensor } from "./tensor.ts";

/** Kinds of files that people take for ONNX files, by their first bytes, with what to do about each. */
const OTHER_FORMATS: readonly (readonly [start: string, what: string])[] = [
  ["\x1f\x8b", "it is compressed with gzip; unpack it"],
  ["PK\x03\x04", "it is a zip archive, such as a checkpoint of torch.save; export the model with torch.onnx.export"],
  ["\x80\x02", "it is a pickle, such as an old checkpoint of torch.save; export the model with torch.onnx.export"],
  ["version https://git-lfs", "it is a pointer of Git LFS; fetch the file with git lfs pull"],
  ["<!DOCTYPE", "it is a web page; download the file itself"],
  ["<html", "it is a web page; download the file itself"],
  ["\x89HDF\r\n", "it is an HDF5 file; convert the model with tf2onnx"],
  ["GGUF", "it is a GGUF file; export the model as ONNX"],
];

/** A file: `ModelProto`. */
export interface OnnxModel {
  /** Version of the operators by domain; the standard's domain is empty. */
  readonly opsets: ReadonlyMap<string, number>;
  readonly producer: string;
  readonly graph: OnnxGraph;
  readonly functions: readonly OnnxFunction[];
}

/** A graph: `GraphProto`. */
export interface OnnxGraph {
  readonly name: string;
  /** In the order of execution. */
  readonly nodes: readonly OnnxNode[];
  readonly initializers: readonly StoredTensor[];
  /** Names of initializers in the sparse format. */
  readonly sparse: readonly string[];
  readonly inputs: readonly OnnxValueInfo[];
  readonly outputs: readonly OnnxValueInfo[];
  /** Kinds of values by name, as PyTorch's exporter declares them: `PARAMETER`, `BUFFER`, `CONSTANT_TENSOR`. */
  readonly declared: ReadonlyMap<string, string>;
}

/** A node: `NodeProto`. */
export interface OnnxNode {
  readonly name: string;
  readonly type: string;
  readonly domain: string;
  /** Names of values; an empty one is an input that is left out. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: ReadonlyMap<string, OnnxAttribute>;
}

/** An operator that is defined in the file: `FunctionProto`. */
export interface OnnxFunction {
  readonly name: string;
  readonly domain: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly nodes: readonly OnnxNode[];
  readonly opsets: ReadonlyMap<string, number>;
  /** Attributes that have a default value. */
  readonly defaults: ReadonlyMap<string, OnnxAttribute>;
}

/** An attribute: `AttributeProto`. Only the field that fits the attribute is filled. */
export interface OnnxAttribute {
  readonly name: string;
  float?: number;
  integer?: number;
  string?: string;
  tensor?: StoredTensor;
  graph?: OnnxGraph;
  readonly floats: number[];
  readonly integers: number[];
  readonly strings: string[];
  /** Attribute of the function whose value this one takes. */
  reference?: string;
}

/** An input or output of a graph: `ValueInfoProto`. */
export interface OnnxValueInfo {
  readonly name: string;
  /** Number of the element type (`TensorProto.DataType`), 0 if the file does not say; null if it is no dense tensor. */
  readonly type: number | null;
  /** Sizes; a name or null for one that is open. Null if the file does not say. */
  readonly shape: readonly (number | string | null)[] | null;
}

/** Graphs inside of graphs that are read. */
const MAX_NESTED = 32;

/**
 * Reads a model.
 *
 * @throws {InputError} if the file is damaged, or holds no graph
 */
export function readModel(content: Uint8Array): OnnxModel {
  const opsets = new Map<string, number>();
  const functions: OnnxFunction[] = [];
  let [producer, version] = ["", ""];
  let graph: OnnxGraph | null = null;
  const fields = {
    2: text((value) => producer = value),
    3: text((value) => version = value),
    7: bytes((value) => graph = readGraph(value, 0)),
    8: bytes((value) => readOpset(value, opsets)),
    25: bytes((value) => functions.push(readFunction(value))),
  };
  try {
    readMessage(content, "the file", fields);
  } catch (error) {
    const other = otherFormat(content);
    if (other === null) throw error;
    throw new InputError(`the file is no ONNX file: ${other}`, { cause: error });
  }
  if (graph === null) {
    const other = otherFormat(content) ?? "it has no graph; expected a model as an exporter of ONNX writes it";
    throw new InputError(`the file is no ONNX file: ${other}`);
  }
  return { opsets, producer: `${producer} ${version}`.trim(), graph, functions };
}

function readOpset(content: Uint8Array, into: Map<string, number>): void {
  let [domain, version] = ["", 0];
  readMessage(content, "an opset_import", {
    1: text((value) => domain = value),
    2: integer((value) => version = value),
  });
  into.set(domain === "ai.onnx" ? "" : domain, version);
}

function readGraph(content: Uint8Array, depth: number): OnnxGraph {
  if (depth > MAX_NESTED) throw new InputError(`graphs are nested more than ${MAX_NESTED} deep`);
  const nodes: OnnxNode[] = [];
  const initializers: StoredTensor[] = [];
  const sparse: string[] = [];
  const inputs: OnnxValueInfo[] = [];
  const outputs: OnnxValueInfo[] = [];
  const declared = new Map<string, string>();
  let name = "";
  readMessage(content, "the graph", {
    1: bytes((value) => nodes.push(readNode(value, depth))),
    2: text((value) => name = value),
    5: bytes((value) => initializers.push(readTensor(value))),
    11: bytes((value) => {
      inputs.push(readValueInfo(value));
      readDeclared(value, declared);
    }),
    12: bytes((value) => outputs.push(readValueInfo(value))),
    13: bytes((value) => readDeclared(value, declared)),
    15: bytes((value) => sparse.push(sparseName(value))),
  });
  return { name, nodes, initializers, sparse, inputs, outputs, declared };
}

/** Key of the metadata in which PyTorch's exporter says what a value is. */
const DECLARED = "pkg.torch.export.graph_signature.InputSpec.kind";

/** Reads what a value is from its description. */
function readDeclared(content: Uint8Array, into: Map<string, string>): void {
  let name = "";
  const entries = new Map<string, string>();
  readMessage(content, "a value's description", {
    1: text((value) => name = value),
    4: bytes((value) => readEntry(value, entries)),
  });
  const kind = entries.get(DECLARED);
  if (kind !== undefined) into.set(name, kind);
}

function sparseName(content: Uint8Array): string {
  let name = "";
  readMessage(content, "a sparse initializer", { 1: bytes((value) => name = readTensor(value).name) });
  return name;
}

function readNode(content: Uint8Array, depth: number): OnnxNode {
  const inputs: string[] = [];
  const outputs: string[] = [];
  const attributes = new Map<string, OnnxAttribute>();
  let [name, type, domain] = ["", "", ""];
  readMessage(content, "a node", {
    1: text((value) => inputs.push(value)),
    2: text((value) => outputs.push(value)),
    3: text((value) => name = value),
    4: text((value) => type = value),
    5: bytes((value) => {
      const attribute = readAttribute(value, depth);
      attributes.set(attribute.name, attribute);
    }),
    7: text((value) => domain = value === "ai.onnx" ? "" : value),
  });
  return { name, type, domain, inputs, outputs, attributes };
}

function readAttribute(content: Uint8Array, depth: number): OnnxAttribute {
  let name = "";
  const found: Omit<OnnxAttribute, "name"> = { floats: [], integers: [], strings: [] };
  readMessage(content, "an attribute", {
    1: text((value) => name = value),
    2: float((value) => found.float = value),
    3: integer((value) => found.integer = value),
    4: text((value) => found.string = value),
    5: bytes((value) => found.tensor = readTensor(value)),
    6: bytes((value) => found.graph = readGraph(value, depth + 1)),
    7: floats(found.floats),
    8: integers(found.integers),
    9: text((value) => found.strings.push(value)),
    21: text((value) => found.reference = value),
  });
  return { name, ...found };
}

function readFunction(content: Uint8Array): OnnxFunction {
  const inputs: string[] = [];
  const outputs: string[] = [];
  const nodes: OnnxNode[] = [];
  const opsets = new Map<string, number>();
  const defaults = new Map<string, OnnxAttribute>();
  let [name, domain] = ["", ""];
  readMessage(content, "a function", {
    1: text((value) => name = value),
    4: text((value) => inputs.push(value)),
    5: text((value) => outputs.push(value)),
    7: bytes((value) => nodes.push(readNode(value, 0))),
    9: bytes((value) => readOpset(value, opsets)),
    10: text((value) => domain = value),
    11: bytes((value) => {
      const attribute = readAttribute(value, 0);
      defaults.set(attribute.name, attribute);
    }),
  });
  return { name, domain, inputs, outputs, nodes, opsets, defaults };
}

function readValueInfo(content: Uint8Array): OnnxValueInfo {
  let name = "";
  let type: number | null = null;
  let shape: (number | string | null)[] | null = null;
  readMessage(content, "a value's description", {
    1: text((value) => name = value),
    2: bytes((value) =>
      readMessage(value, "a value's type", {
        1: bytes((tensor) => {
          type = 0;
          readMessage(tensor, "a tensor's type", {
            1: integer((value) => type = value),
            2: bytes((value) => shape = readDimensions(value)),
          });
        }),
      })
    ),
  });
  return { name, type, shape };
}

function readDimensions(content: Uint8Array): (number | string | null)[] {
  const sizes: (number | string | null)[] = [];
  readMessage(content, "a shape", {
    1: bytes((dimension) => {
      let size: number | string | null = null;
      readMessage(dimension, "a dimension", {
        // Some exporters write -1 for a size that is open
        1: integer((value) => size = value < 0 ? null : value),
        2: text((value) => size = value === "" ? null : value),
      });
      sizes.push(size);
    }),
  });
  return sizes;
}

/** Returns what a file is that begins with these bytes and is no ONNX file; null if unknown. */
function otherFormat(bytes: Uint8Array): string | null {
  if (bytes.length === 0) return "it is empty; is the download complete?";
  const start = String.fromCharCode(...bytes.subarray(0, 32)).toLowerCase();
  const known = OTHER_FORMATS.find(([first]) => start.startsWith(first.toLowerCase()));
  if (known !== undefined) return known[1];
  if (start.slice(4, 8) === "ortm") return "it is in the format of ONNX Runtime; give the file from which it was made";
  if (start.slice(8, 10) === '{"') return "it is a safetensors file, which has weights only; export the model as ONNX";
  return bytes.subarray(0, 32).every(isText)
    ? "it is a text file; expected a model as an exporter of ONNX writes it"
    : null;
}

/** Returns true for a byte of ASCII text. */
function isText(byte: number): boolean {
  return byte >= 0x20 ? byte < 0x7f : byte === 0x09 || byte === 0x0a || byte === 0x0d;
}
