/** Nodes that one of Tacho's ops computes: what is recognised, and that the values stay. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { Graph } from "../../runtime/graph/graph.ts";
import { leafAttrs } from "../../runtime/graph/leaf.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { initialize } from "../../runtime/nn/initialize.ts";
import { addValues } from "../../runtime/onnx/importer.ts";
import { type LoadedModel, loadModel } from "../../runtime/onnx/loaded_model.ts";
import { fuse } from "../../runtime/onnx/patterns/fuse.ts";
import { evaluate } from "../support/evaluate.ts";
import { assertClose } from "../support/op_case.ts";
import { type FileModel, type FileNode, type FileTensor, onnxFile } from "../support/onnx_file.ts";
import { drawn } from "../support/onnx_node.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import { checkPattern } from "./operators/check_pattern.ts";
import { Draw } from "./operators/draw.ts";
import { drawPattern } from "./operators/patterns.ts";

const node = (
  type: string,
  inputs: readonly string[],
  output: string,
  attributes?: FileNode["attributes"],
): FileNode => ({
  type,
  inputs,
  outputs: [output],
  ...attributes === undefined ? {} : { attributes },
});
const constant = (name: string, value: number): FileTensor => ({ name, shape: [], values: [value] });
const weight = (name: string, shape: readonly number[], seed: number): FileTensor => ({
  name,
  shape,
  values: drawn(shape.reduce((a, b) => a * b, 1), seed),
});

interface Case {
  readonly nodes: readonly FileNode[];
  readonly initializers: readonly FileTensor[];
  /** Shape of the input x. */
  readonly shape: readonly number[];
  /** Types of the nodes that are left. */
  readonly fused: readonly string[];
  readonly opset?: number;
}

const LAYER_NORM = [
  node("ReduceMean", ["x"], "mean", { axes: [-1] }),
  node("Sub", ["x", "mean"], "centred"),
  node("Pow", ["centred", "two"], "square"),
  node("ReduceMean", ["square"], "variance", { axes: [-1] }),
  node("Add", ["variance", "epsilon"], "shifted"),
  node("Sqrt", ["shifted"], "root"),
  node("Div", ["centred", "root"], "normal"),
  node("Mul", ["normal", "w"], "scaled"),
  node("Add", ["scaled", "b"], "y"),
];

/** Queries, keys and values are x; `scores` become `y`. */
const attention = (masked: readonly FileNode[]) => [
  node("Transpose", ["x"], "k", { perm: [0, 1, 3, 2] }),
  node("Mul", ["x", "half"], "q"),
  node("MatMul", ["q", "k"], "products"),
  node("Div", ["products", "two"], "scaled"),
  ...masked,
  node("Softmax", ["scores"], "weights", { axis: -1 }),
  node("MatMul", ["weights", "x"], "y"),
];

const KEPT: FileTensor = { name: "kept", shape: [1, 1, 3, 3], type: "bool", values: [1, 0, 0, 1, 1, 0, 1, 1, 1] };
const ADDED: FileTensor = { name: "added", shape: [3, 3], values: [0, -1e9, -1e9, 0, 0, -1e9, 0, 0, 0] };
const SOME: FileTensor = { name: "added", shape: [3, 3], values: [0, 0, -1e9, 0, 0, 0, 0, 0, 0] };

const CASES: Readonly<Record<string, Case>> = {
  "a layer norm": {
    nodes: LAYER_NORM,
    initializers: [constant("two", 2), constant("epsilon", 1e-5), weight("w", [4], 1), weight("b", [4], 2)],
    shape: [3, 4],
    opset: 13,
    fused: ["LayerNormalization"],
  },
  "a GELU by the error function": {
    nodes: [
      node("Div", ["x", "root"], "a"),
      node("Erf", ["a"], "e"),
      node("Add", ["e", "one"], "f"),
      node("Mul", ["x", "f"], "p"),
      node("Mul", ["p", "half"], "y"),
    ],
    initializers: [constant("root", Math.SQRT2), constant("one", 1), constant("half", 0.5)],
    shape: [5],
    fused: ["Gelu"],
  },
  "a GELU by tanh": {
    nodes: [
      node("Pow", ["x", "three"], "cube"),
      node("Mul", ["c", "cube"], "small"),
      node("Add", ["x", "small"], "sum"),
      node("Mul", ["sum", "factor"], "v"),
      node("Tanh", ["v"], "t"),
      node("Add", ["t", "one"], "f"),
      node("Mul", ["half", "x"], "h"),
      node("Mul", ["h", "f"], "y"),
    ],
    initializers: [
      constant("three", 3),
      constant("c", 0.044715),
      constant("factor", Math.sqrt(2 / Math.PI)),
      constant("one", 1),
      constant("half", 0.5),
    ],
    shape: [5],
    fused: ["Gelu"],
  },
  "attention with a causal mask that is added": {
    nodes: attention([node("Add", ["scaled", "added"], "scores")]),
    initializers: [constant("half", 0.5), constant("two", 2), ADDED],
    shape: [1, 2, 3, 4],
    fused: ["Transpose", "Attention"],
  },
  "attention with a mask of its own": {
    nodes: attention([node("Add", ["added", "scaled"], "scores")]),
    initializers: [constant("half", 0.5), constant("two", 2), SOME],
    shape: [1, 2, 3, 4],
    fused: ["Transpose", "Attention"],
  },
  "attention with a causal mask that chooses": {
    nodes: attention([node("Where", ["kept", "scaled", "low"], "scores")]),
    initializers: [constant("half", 0.5), constant("two", 2), constant("low", -1e9), KEPT],
    shape: [1, 2, 3, 4],
    fused: ["Transpose", "Attention"],
  },
  "a product and a bias": {
    nodes: [node("MatMul", ["x", "w"], "p"), node("Add", ["b", "p"], "y")],
    initializers: [weight("w", [4, 5], 1), weight("b", [5], 2)],
    shape: [3, 4],
    fused: ["Linear"],
  },
  "a product and a bias that is broadcast": {
    nodes: [node("MatMul", ["x", "w"], "p"), node("Add", ["p", "b"], "y")],
    initializers: [weight("w", [4, 1], 1), weight("b", [5], 2)],
    shape: [3, 4],
    fused: ["Linear"],
  },
  "all parts of an axis": {
    nodes: [
      node("Gather", ["x", "i1"], "b", { axis: 0 }),
      node("Gather", ["x", "i0"], "a", { axis: 0 }),
      node("Sub", ["a", "b"], "y"),
    ],
    initializers: [0, 1].map((i) => ({ name: `i${i}`, shape: [], type: "int64" as const, values: [i] })),
    shape: [2, 3],
    fused: ["Unbind", "Sub"],
  },
  "nothing where another node reads a part": {
    nodes: [node("MatMul", ["x", "w"], "p"), node("Add", ["p", "b"], "s"), node("Mul", ["s", "p"], "y")],
    initializers: [weight("w", [4, 5], 1), weight("b", [5], 2)],
    shape: [3, 4],
    fused: ["MatMul", "Add", "Mul"],
  },
};

async function valuesOf(model: LoadedModel, shape: readonly number[]): Promise<Float64Array> {
  const graph = new Graph("infer");
  const x = graph.leaf("input", "@x", rowMajor(shape, "f32"));
  const [y] = addValues(model, {}, graph, new Map([["x", x]]), ["y"]) as [Tensor];
  const leaves = new Map<string, ArrayLike<number>>([["@x", drawn(shape.reduce((a, b) => a * b, 1), 3)]]);
  for (const leaf of [...graph.leaves("parameter"), ...graph.leaves("state")]) {
    leaves.set(leaf.node.id, initialize(leafAttrs(leaf)!.initializer!, leaf.shape, 1, leaf.node.id));
  }
  const [values] = await evaluate([y], leaves);
  return values!;
}

for (const [name, { nodes, initializers, shape, fused, opset }] of Object.entries(CASES)) {
  Deno.test(`recognised: ${name}`, async () => {
    const file: FileModel = {
      inputs: [{ name: "x" }],
      outputs: [{ name: "y" }],
      nodes,
      initializers,
      ...opset === undefined ? {} : { opset },
    };
    const model = loadModel({ content: onnxFile(file), name: "pattern.onnx", path: null }, () => false);
    const graph = fuse(model, ["y"]);
    deepStrictEqual(graph.nodes.map(({ type }) => type), fused);
    const [want, got] = [await valuesOf(model, shape), await valuesOf({ ...model, graph }, shape)];
    assertClose(got, want, 2e-6, name);
  });
}

Deno.test("a value that the model returns stays", () => {
  const file: FileModel = {
    inputs: [{ name: "x" }],
    outputs: [{ name: "y" }, { name: "normal" }],
    nodes: LAYER_NORM,
    initializers: [constant("two", 2), constant("epsilon", 1e-5), weight("w", [4], 1), weight("b", [4], 2)],
  };
  const model = loadModel({ content: onnxFile(file), name: "pattern.onnx", path: null }, () => false);
  deepStrictEqual(fuse(model, ["y", "normal"]).nodes.length, LAYER_NORM.length);
});

Deno.test("random graphs around the patterns compute what their nodes say", async () => {
  for (let seed = 0; seed < 60; seed++) await checkPattern(drawPattern(new Draw(new RandomStream(seed, 1))));
});

Deno.test("nodes with attributes that a pattern does not know are left alone", () => {
  const [product, sum] = CASES["a product and a bias"]!.nodes as [FileNode, FileNode];
  const file: FileModel = {
    opset: 6,
    inputs: [{ name: "x" }],
    outputs: [{ name: "y" }],
    nodes: [product, { ...sum, inputs: ["p", "b"], attributes: { axis: 0, broadcast: 1 } }],
    initializers: [weight("w", [4, 5], 1), weight("b", [5], 2)],
  };
  const model = loadModel({ content: onnxFile(file), name: "pattern.onnx", path: null }, () => false);
  deepStrictEqual(fuse(model, ["y"]).nodes.map(({ type }) => type), ["MatMul", "Add"]);
});

Deno.test("parts of a shape stay known", async () => {
  const index = (i: number): FileTensor => ({ name: `i${i}`, shape: [], type: "int64", values: [i] });
  const file: FileModel = {
    inputs: [{ name: "x" }],
    outputs: [{ name: "y" }],
    nodes: [
      node("Shape", ["x"], "s"),
      ...[0, 1].map((i) => node("Gather", ["s", `i${i}`], `n${i}`, { axis: 0 })),
      node("Mul", ["n0", "n1"], "n"),
      node("Unsqueeze", ["n", "axes"], "shape"),
      node("Reshape", ["x", "shape"], "y"),
    ],
    initializers: [index(0), index(1), { name: "axes", shape: [1], type: "int64", values: [0] }],
  };
  const model = loadModel({ content: onnxFile(file), name: "pattern.onnx", path: null }, () => false);
  const graph = fuse(model, ["y"]);
  ok(graph.nodes.some(({ type }) => type === "Unbind"));
  deepStrictEqual([...await valuesOf({ ...model, graph }, [2, 3])], [...drawn(6, 3)]);
});
