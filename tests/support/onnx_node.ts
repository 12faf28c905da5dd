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
import { difference } from "./onnx_case.ts";
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
      const kind = input.type === "int64" || input.type === "int32"
        ? "integer"
        : input.type === "bool"
        ? "boolean"
        : "float";
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
      const expected = { kind: "float", shape: want.shape, values: Float64Array.from(want.values) } as const;
      const problem = difference({ name: `output ${i}`, got, want: expected }, test.tolerance ?? 1e-5);
      if (problem !== null) fail(`${test.type}, ${constants ? "constants" : "tensors"}: ${problem}`);
    });
  }
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
    inputs: inputs.flatMap((input, i) => input === null ? [] : [{ name: `i${i}` }]),
    outputs: want.map((_, i) => ({ name: `o${i}` })),
    nodes: [node],
  });
  return loadModel({ content, name: "node.onnx", path: null }, () => false);
}
