/**
 * Checks of single operators of ONNX: on tensors of the model, and on constants.
 *
 * @module
 */
import { fail } from "node:assert/strict";
import { Graph } from "../../runtime/graph/graph.ts";
import { leafAttrs } from "../../runtime/graph/leaf.ts";
import { Tensor } from "../../runtime/graph/op.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { initialize } from "../../runtime/nn/initialize.ts";
import { addValues } from "../../runtime/onnx/importer.ts";
import { loadModel } from "../../runtime/onnx/loaded_model.ts";
import { Constant, type Value } from "../../runtime/onnx/value.ts";
import { evaluate } from "./evaluate.ts";
import { difference, type OutputPair } from "./onnx_case.ts";
import { type FileAttribute, type FileNode, type FileTensor, onnxFile } from "./onnx_file.ts";

/** An input or an output. */
export interface NodeTensor extends FileTensor {
  /** True for an input that has to be known when the model is built. */
  readonly constant?: boolean;
}

/** A node with its inputs and what it should compute. An input of null is left out, an output of null not compared. */
export interface NodeCase {
  readonly type: string;
  readonly domain?: string;
  /** Default: 17. */
  readonly opset?: number;
  readonly attributes?: Readonly<Record<string, FileAttribute>>;
  readonly inputs: readonly (NodeTensor | null)[];
  readonly want: readonly (FileTensor | null)[];
  /** Largest error relative to the largest value. Default: 1e-5. */
  readonly tolerance?: number;
  /** Largest error of each element relative to itself, in place of `tolerance`; element types are compared too. */
  readonly elements?: number;
  /** Largest error of an element beside that. Default: 0. */
  readonly slack?: number;
}

/** A float tensor. */
export function floats(shape: readonly number[], values: readonly number[]): NodeTensor {
  return { shape, values };
}

/** A list of constant integers, such as axes. */
export function list(...values: readonly number[]): NodeTensor {
  return { shape: [values.length], values, type: "int64", constant: true };
}

/** A constant integer. */
export function whole(value: number): NodeTensor {
  return { shape: [], values: [value], type: "int64", constant: true };
}

/** A constant float. */
export function number(value: number): NodeTensor {
  return { shape: [], values: [value], constant: true };
}

/** Returns `n` numbers that differ in sign and size, the same in every run. */
export function drawn(n: number, seed = 1): number[] {
  return Array.from({ length: n }, (_, i) => Math.fround(2 * Math.sin(1.7 * i + seed)));
}

/** Computes a node on tensors, and on constants, and compares the outputs. */
export async function checkNode(test: NodeCase): Promise<void> {
  for (const constants of [false, true]) {
    const graph = new Graph("infer");
    const values = new Map<string, Value>();
    const leaves = new Map<string, ArrayLike<number>>();
    test.inputs.forEach((input, i) => {
      if (input === null) return;
      const kind = isIntegerType(input.type) ? "integer" : input.type === "bool" ? "boolean" : "float";
      if (constants || input.constant === true) {
        values.set(`i${i}`, Constant.of(kind, input.shape, input.values, input.type ?? "float32"));
        return;
      }
      const leaf = graph.leaf("input", `@${i}`, rowMajor(input.shape, kind === "integer" ? "i32" : "f32"));
      values.set(`i${i}`, leaf);
      leaves.set(`@${i}`, input.values);
    });
    const outputs = test.want.map((_, i) => `o${i}`);
    const found = addValues(loadNode(test), {}, graph, values, outputs);
    const tensors = found.filter((value): value is Tensor => value instanceof Tensor);
    for (const leaf of graph.leaves("state")) {
      leaves.set(leaf.node.id, initialize(leafAttrs(leaf)!.initializer!, leaf.shape, 1, leaf.node.id));
    }
    const computed = tensors.length === 0 ? [] : await evaluate(tensors, leaves);
    test.want.forEach((want, i) => {
      if (want === null) return;
      const value = found[i]!;
      const got = value instanceof Tensor
        ? { shape: value.shape, values: computed[tensors.indexOf(value)]! }
        : { shape: value.shape, values: value.values };
      const kind = isIntegerType(want.type) ? "integer" as const : "float" as const;
      const expected = { kind, shape: want.shape, values: Float64Array.from(want.values) };
      const pair = { name: `output ${i}`, got, want: expected };
      const problem = test.elements === undefined
        ? difference(pair, test.tolerance ?? 1e-5)
        : typeDifference(value, want) ?? elementDifference(pair, test.elements, test.slack ?? 0);
      if (problem !== null) fail(`${describeNode(test)}, ${constants ? "constants" : "tensors"}: ${problem}`);
    });
  }
}

function isIntegerType(type: FileTensor["type"] = "float32"): boolean {
  return type === "int64" || type === "int32" || type === "int8" || type === "uint8";
}

/** Returns what differs between the element type of an output and what it should be, or null. */
function typeDifference(value: Value, { type = "float32" }: FileTensor): string | null {
  const isInteger = value instanceof Tensor ? value.dtype === "i32" : value.kind === "integer";
  return isInteger === isIntegerType(type) ? null : `elements are ${isInteger ? "" : "no "}integers`;
}

/**
 * Returns the first element that differs by more than rounding, or null. Floats beyond f32 are infinite, tiny ones 0;
 * integers are not rounded.
 */
export function elementDifference({ name, got, want }: OutputPair, relative: number, slack: number): string | null {
  if (got.shape.join() !== want.shape.join()) return `${name}: shape [${got.shape}] instead of [${want.shape}]`;
  for (const [i, wanted] of want.values.entries()) {
    const [value, rounded] = [got.values[i]!, want.kind === "integer" ? wanted : Math.fround(wanted)];
    if (Object.is(value, wanted) || value === wanted || value === rounded) continue;
    if (Number.isNaN(value) && Number.isNaN(wanted)) continue;
    if (Math.abs(value - wanted) <= relative * Math.abs(wanted) + slack + 1e-36) continue;
    return `${name}[${i}]: ${value} instead of ${wanted}`;
  }
  return null;
}

/** Returns a node and its inputs, as far as they fit in a message. */
function describeNode({ type, opset = 17, attributes = {}, inputs }: NodeCase): string {
  const shown = inputs.map((input) =>
    input === null
      ? "-"
      : `${input.constant === true ? "constant " : ""}[${input.shape}] ${input.values.slice(0, 24).join(" ")}`
  );
  return `${type}-${opset} ${JSON.stringify(attributes)} of ${shown.join("; ").slice(0, 1000)}`;
}

/** Returns a model of one node, whose inputs are `i0`, `i1`, ... and whose outputs are `o0`, ... */
export function loadNode({ type, domain, opset, attributes = {}, inputs, want }: NodeCase) {
  const node: FileNode = {
    type,
    ...domain === undefined ? {} : { domain },
    inputs: inputs.map((input, i) => input === null ? "" : `i${i}`),
    outputs: want.map((_, i) => `o${i}`),
    attributes,
  };
  const content = onnxFile({
    ...opset === undefined ? {} : { opset },
    inputs: inputs.flatMap((input, i) =>
      input === null ? [] : [{ name: `i${i}`, ...input.type === undefined ? {} : { type: input.type } }]
    ),
    outputs: want.map((_, i) => ({ name: `o${i}` })),
    nodes: [node],
  });
  return loadModel({ content, name: "node.onnx", path: null }, () => false);
}
