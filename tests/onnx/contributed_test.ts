/** Attention and rotary positions, operators of onnxruntime's optimizer, and operators that a file defines. */
import { deepStrictEqual, rejects } from "node:assert/strict";
import { onnx } from "../../mod.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { addValues } from "../../runtime/onnx/importer.ts";
import { loadModel } from "../../runtime/onnx/loaded_model.ts";
import { Constant } from "../../runtime/onnx/value.ts";
import { type FileFunction, onnxFile } from "../support/onnx_file.ts";
import { checkNode, drawn, floats, type NodeCase } from "../support/onnx_node.ts";

const MS = { domain: "com.microsoft" };
const X = drawn(24);
const Y = drawn(24, 4);
const Z = drawn(24, 7);
const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

/** Attention of `[1, t, heads d]` with 3 positions and 2 heads of 4 features; `allowed` says which keys a query sees. */
function attended(
  q: readonly number[],
  k: readonly number[],
  v: readonly number[],
  allowed: (i: number, j: number) => boolean,
) {
  return range(3).flatMap((i) =>
    range(2).flatMap((head) => {
      const at = (x: readonly number[], t: number, f: number) => x[8 * t + 4 * head + f]!;
      const scores = range(3).map((j) =>
        allowed(i, j) ? sum(range(4).map((f) => at(q, i, f) * at(k, j, f))) / 2 : -Infinity
      );
      const powers = scores.map(Math.exp);
      return range(4).map((f) => sum(range(3).map((j) => powers[j]! * at(v, j, f))) / sum(powers));
    })
  );
}

const ANGLES = range(6).map((i) => 0.3 * i + 0.1);
const cos = floats([3, 2], ANGLES.map(Math.cos));
const sin = floats([3, 2], ANGLES.map(Math.sin));

/** Rotates features of 3 positions and 2 heads of 4; `pair` gives the two places of pair p. */
function rotated(pair: (p: number) => readonly [number, number]): number[] {
  const y = [...X];
  for (const t of range(3)) {
    for (const head of range(2)) {
      for (const p of range(2)) {
        const [a, b] = pair(p).map((f) => 8 * t + 4 * head + f) as [number, number];
        const angle = ANGLES[2 * t + p]!;
        y[a] = X[a]! * Math.cos(angle) - X[b]! * Math.sin(angle);
        y[b] = X[b]! * Math.cos(angle) + X[a]! * Math.sin(angle);
      }
    }
  }
  return y;
}

const flat = (values: readonly number[]) => floats([1, 3, 8], values);
const normalized = (values: readonly number[]) =>
  values.map((value, i) => {
    const row = values.slice(8 * Math.floor(i / 8), 8 * Math.floor(i / 8) + 8);
    const mean = sum(row) / 8;
    return (value - mean) / Math.sqrt(sum(row.map((v) => (v - mean) ** 2)) / 8 + 1e-5);
  });
const vector = (values: readonly number[]) => floats([values.length], values);
const sigmoid = (v: number) => 1 / (1 + Math.exp(-v));
const PAIRED = X.map((v, i) => v + Y[i]!);

const CASES: readonly NodeCase[] = [
  {
    type: "Attention",
    opset: 23,
    attributes: { q_num_heads: 2, kv_num_heads: 2, is_causal: 1 },
    inputs: [flat(X), flat(Y), flat(Z)],
    want: [flat(attended(X, Y, Z, (i, j) => j <= i))],
  },
  {
    type: "Attention",
    opset: 23,
    attributes: { q_num_heads: 2, kv_num_heads: 2 },
    inputs: [flat(X), flat(Y), flat(Z), {
      shape: [3, 3],
      type: "bool",
      values: [1, 1, 0, 1, 1, 1, 0, 1, 1],
      constant: true,
    }],
    want: [flat(attended(X, Y, Z, (i, j) => [1, 1, 0, 1, 1, 1, 0, 1, 1][3 * i + j] === 1))],
  },
  {
    type: "MultiHeadAttention",
    ...MS,
    attributes: { num_heads: 2 },
    inputs: [flat(X), flat(Y), flat(Z), vector(range(24).map((i) => i < 8 ? 0.5 : i < 16 ? 0 : 1))],
    want: [flat(attended(X.map((v) => v + 0.5), Y, Z.map((v) => v + 1), () => true))],
  },
  {
    type: "Attention",
    ...MS,
    attributes: { num_heads: 2, unidirectional: 1 },
    inputs: [
      flat(X),
      floats([8, 24], range(192).map((i) => i % 24 % 8 === Math.floor(i / 24) ? 1 : 0)),
      vector(range(24).map(() => 0)),
    ],
    want: [flat(attended(X, X, X, (i, j) => j <= i))],
  },
  {
    type: "RotaryEmbedding",
    opset: 23,
    attributes: { num_heads: 2 },
    inputs: [flat(X), cos, sin, { shape: [1, 3], type: "int64", values: [0, 1, 2] }],
    want: [flat(rotated((p) => [p, p + 2]))],
  },
  {
    type: "RotaryEmbedding",
    ...MS,
    attributes: { num_heads: 2, interleaved: 1 },
    inputs: [flat(X), { shape: [1, 3], type: "int64", values: [0, 1, 2] }, cos, sin],
    want: [flat(rotated((p) => [2 * p, 2 * p + 1]))],
  },
  {
    type: "SkipLayerNormalization",
    ...MS,
    inputs: [flat(X), flat(Y), vector(range(8).map((i) => i + 1)), vector(range(8))],
    want: [flat(normalized(PAIRED).map((v, i) => v * (i % 8 + 1) + i % 8)), null, null, flat(PAIRED)],
  },
  {
    type: "SimplifiedLayerNormalization",
    attributes: { axis: -1, epsilon: 0.1 },
    inputs: [floats([2, 2], [3, 4, 0, 1]), vector([1, 2])],
    want: [floats([2, 2], [3 / Math.sqrt(12.6), 8 / Math.sqrt(12.6), 0, 2 / Math.sqrt(0.6)])],
  },
  {
    type: "FusedMatMul",
    ...MS,
    attributes: { transB: 1, alpha: { float: 0.5 } },
    inputs: [floats([1, 2], [1, 2]), floats([2, 2], [3, 4, 5, 6])],
    want: [floats([1, 2], [5.5, 8.5])],
  },
  {
    type: "FusedConv",
    ...MS,
    attributes: { activation: "Relu", kernel_shape: [2] },
    inputs: [floats([1, 1, 3], [1, -2, 3]), floats([1, 1, 2], [1, 1])],
    want: [floats([1, 1, 2], [0, 1])],
  },
  { type: "QuickGelu", ...MS, inputs: [vector(X)], want: [vector(X.map((v) => v * sigmoid(1.702 * v)))] },
  {
    type: "BiasGelu",
    ...MS,
    inputs: [floats([1, 2], [-9, 9]), vector([-1, 1])],
    want: [floats([1, 2], [0, 10])],
    tolerance: 1e-4,
  },
];

Deno.test("attention, rotary positions and operators of onnxruntime compute what their documents say", async () => {
  for (const test of CASES) await checkNode({ tolerance: 2e-5, ...test });
});

Deno.test("parts of attention that Tacho does not compute are refused by name", async () => {
  const q = flat(X);
  await rejects(
    checkNode({ type: "Attention", opset: 23, attributes: { softcap: { float: 5 } }, inputs: [q, q, q], want: [q] }),
    {
      message: /layer "attention": Attention of node\.onnx: softcap is not supported/,
    },
  );
  const past = floats([1, 2, 1, 4], range(8));
  await rejects(
    checkNode({
      type: "Attention",
      opset: 23,
      attributes: { q_num_heads: 2 },
      inputs: [q, q, q, null, past, past],
      want: [q],
    }),
    {
      message: /keys and values of the past are not supported/,
    },
  );
});

/** y = x + slope x, by way of another function. */
const FUNCTIONS: readonly FileFunction[] = [
  {
    name: "Scale",
    domain: "own",
    inputs: ["a"],
    outputs: ["b"],
    nodes: [{ type: "LeakyRelu", inputs: ["a"], outputs: ["b"], attributes: { alpha: { reference: "slope" } } }],
  },
  {
    name: "Twice",
    domain: "own",
    inputs: ["a"],
    outputs: ["c"],
    nodes: [
      { type: "Scale", domain: "own", inputs: ["a"], outputs: ["b"], attributes: { slope: { reference: "outer" } } },
      { type: "Add", inputs: ["a", "b"], outputs: ["c"] },
    ],
  },
];

Deno.test("operators that a file defines are written out, with their attributes", () => {
  const content = onnxFile({
    inputs: [{ name: "x" }],
    outputs: [{ name: "y" }],
    nodes: [
      { type: "Twice", domain: "own", inputs: ["x"], outputs: ["b"], attributes: { outer: { float: 0.5 } } },
      { type: "Neg", inputs: ["b"], outputs: ["y"] },
    ],
    functions: FUNCTIONS,
  });
  const model = loadModel({ content, name: "own.onnx", path: null }, () => false);
  const graph = new Graph("infer");
  const [y] = addValues(model, {}, graph, new Map([["x", Constant.of("float", [2], [-2, 4])]]), ["y"]);
  deepStrictEqual(y!.shape, [2]);
  deepStrictEqual(graph.nodes.map(({ op }) => op.type).filter((type) => type !== "leaf"), ["leaky_relu", "add", "neg"]);
});

Deno.test("a function that calls itself is refused", async () => {
  const content = onnxFile({
    inputs: [{ name: "x" }],
    outputs: [{ name: "y" }],
    nodes: [{ type: "Twice", domain: "own", inputs: ["x"], outputs: ["y"] }],
    functions: [{
      name: "Twice",
      domain: "own",
      inputs: ["a"],
      outputs: ["b"],
      nodes: [{ type: "Twice", domain: "own", inputs: ["a"], outputs: ["b"] }],
    }],
  });
  await rejects(onnx(content), { message: "onnx: model: the function own.Twice calls itself" });
});
