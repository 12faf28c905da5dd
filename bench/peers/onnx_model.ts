/**
 * Writes small models as ONNX files, by the field numbers of onnx.proto (IR version 8, opset 17).
 *
 * @module
 */

/** A named value and its shape. */
export interface Value {
  readonly name: string;
  readonly shape: readonly number[];
}

/** An operator of a graph. */
export interface OnnxNode {
  readonly type: string;
  readonly inputs: readonly string[];
  readonly output: string;
}

/** A graph of f32 values with one input and one output. */
export interface OnnxGraph {
  readonly input: Value;
  readonly output: Value;
  readonly weights: readonly (Value & { readonly values: Float32Array })[];
  readonly nodes: readonly OnnxNode[];
}

const IR_VERSION = 8;
const OPSET = 17;
const FLOAT = 1;

/** A product with a bias: inputs are the matrix, its weight as [in, out], and the bias. */
export function gemm(inputs: readonly [string, string, string], output: string): OnnxNode {
  return { type: "Gemm", inputs, output };
}

export function relu(input: string, output: string): OnnxNode {
  return { type: "Relu", inputs: [input], output };
}

/** Returns the bytes of a `ModelProto`. */
export function onnxModel({ input, output, weights, nodes }: OnnxGraph): Uint8Array {
  const graph = [
    ...nodes.map(({ type, inputs, output }) =>
      bytes(1, [...inputs.map((name) => text(1, name)), text(2, output), text(4, type)].flat())
    ),
    text(2, "graph"),
    ...weights.map(({ name, shape, values }) =>
      bytes(5, [...shape.map((n) => number(1, n)), number(2, FLOAT), text(8, name), raw(9, values)].flat())
    ),
    bytes(11, valueInfo(input)),
    bytes(12, valueInfo(output)),
  ].flat();
  const opset = [...text(1, ""), ...number(2, OPSET)];
  return Uint8Array.from([...number(1, IR_VERSION), ...bytes(7, graph), ...bytes(8, opset)]);
}

/** Returns a `ValueInfoProto`. */
function valueInfo({ name, shape }: Value): number[] {
  const dimensions = shape.flatMap((n) => bytes(1, number(1, n)));
  return [...text(1, name), ...bytes(2, bytes(1, [...number(1, FLOAT), ...bytes(2, dimensions)]))];
}

function number(field: number, value: number): number[] {
  return [...varint(field << 3), ...varint(value)];
}

function bytes(field: number, content: ArrayLike<number>): number[] {
  return [...varint(field << 3 | 2), ...varint(content.length), ...Array.from(content)];
}

function text(field: number, value: string): number[] {
  return bytes(field, new TextEncoder().encode(value));
}

function raw(field: number, values: Float32Array): number[] {
  return bytes(field, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
}

function varint(value: number): number[] {
  const low = value & 0x7f;
  return value < 0x80 ? [low] : [low | 0x80, ...varint(value >>> 7)];
}
