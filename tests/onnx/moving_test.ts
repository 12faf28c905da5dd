/** Operators that move elements: shapes, parts, indices, and graphs inside of nodes. */
import { deepStrictEqual, rejects, throws } from "node:assert/strict";
import { Graph } from "../../runtime/graph/graph.ts";
import { addValues } from "../../runtime/onnx/importer.ts";
import { loadModel } from "../../runtime/onnx/loaded_model.ts";
import { Constant } from "../../runtime/onnx/value.ts";
import { type FileGraph, onnxFile } from "../support/onnx_file.ts";
import { checkNode, drawn, floats, list, type NodeCase, whole } from "../support/onnx_node.ts";

const X = drawn(12);
/** [3, 4] */
const x = floats([3, 4], X);
const rows = (...places: readonly number[]) => places.flatMap((r) => X.slice(4 * r, 4 * r + 4));
const columns = (...places: readonly number[]) => [0, 1, 2].flatMap((r) => places.map((c) => X[4 * r + c]!));
const ids = (shape: readonly number[], values: readonly number[]) => ({ shape, values, type: "int64" as const });

const CASES: readonly NodeCase[] = [
  { type: "Reshape", inputs: [x, list(0, 2, -1)], want: [floats([3, 2, 2], X)] },
  { type: "Flatten", attributes: { axis: -1 }, inputs: [floats([1, 3, 4], X)], want: [x] },
  { type: "Squeeze", inputs: [floats([1, 3, 1, 4], X)], want: [x] },
  { type: "Squeeze", opset: 11, attributes: { axes: [0] }, inputs: [floats([1, 3, 4], X)], want: [x] },
  { type: "Unsqueeze", inputs: [x, list(-1, 0)], want: [floats([1, 3, 4, 1], X)] },
  {
    type: "Transpose",
    inputs: [x],
    want: [floats([4, 3], [0, 1, 2, 3].flatMap((c) => [0, 1, 2].map((r) => X[4 * r + c]!)))],
  },
  { type: "Shape", attributes: { start: -1 }, inputs: [x], want: [ids([1], [4])] },
  { type: "Size", inputs: [x], want: [ids([], [12])] },
  {
    type: "Concat",
    attributes: { axis: 0 },
    inputs: [x, floats([1, 4], [1, 2, 3, 4])],
    want: [floats([4, 4], [...X, 1, 2, 3, 4])],
  },
  {
    type: "Split",
    attributes: { axis: 1 },
    inputs: [x, list(1, 3)],
    want: [floats([3, 1], columns(0)), floats([3, 3], columns(1, 2, 3))],
  },
  {
    type: "Split",
    opset: 18,
    attributes: { num_outputs: 2 },
    inputs: [x],
    want: [floats([2, 4], rows(0, 1)), floats([1, 4], rows(2))],
  },
  {
    type: "Slice",
    inputs: [x, list(-1, 3), list(-100, 1), list(0, 1), list(-2, -1)],
    want: [floats([2, 2], [2, 0].flatMap((r) => [X[4 * r + 3]!, X[4 * r + 2]!]))],
  },
  { type: "Slice", inputs: [x, list(1), list(2 ** 62), list(1)], want: [floats([3, 3], columns(1, 2, 3))] },
  {
    type: "Slice",
    opset: 9,
    attributes: { starts: [1], ends: [2], axes: [0] },
    inputs: [x],
    want: [floats([1, 4], rows(1))],
  },
  { type: "Gather", inputs: [x, ids([2, 1], [2, 0])], want: [floats([2, 1, 4], rows(2, 0))] },
  {
    type: "Gather",
    attributes: { axis: 1 },
    inputs: [x, { ...ids([], [-1]), constant: true }],
    want: [floats([3], columns(3))],
  },
  { type: "Gather", inputs: [x, { ...ids([2], [1, 2]), constant: true }], want: [floats([2, 4], rows(1, 2))] },
  {
    type: "GatherElements",
    attributes: { axis: 1 },
    inputs: [x, { ...ids([3, 1], [0, -1, 2]), constant: true }],
    want: [floats([3, 1], [X[0]!, X[7]!, X[10]!])],
  },
  { type: "GatherND", inputs: [x, ids([2, 2], [0, 1, 2, 3])], want: [floats([2], [X[1]!, X[11]!])] },
  {
    type: "GatherND",
    attributes: { batch_dims: 1 },
    inputs: [x, { ...ids([3, 1], [3, 0, 1]), constant: true }],
    want: [floats([3], [X[3]!, X[4]!, X[9]!])],
  },
  {
    type: "ScatterElements",
    attributes: { axis: 1 },
    inputs: [x, ids([3, 1], [1, 0, 3]), floats([3, 1], [7, 8, 9])],
    want: [floats([3, 4], X.map((v, i) => i === 1 ? 7 : i === 4 ? 8 : i === 11 ? 9 : v))],
  },
  {
    type: "ScatterND",
    opset: 18,
    attributes: { reduction: "add" },
    inputs: [x, ids([2, 1], [2, 2]), floats([2, 4], [1, 1, 1, 1, 2, 2, 2, 2])],
    want: [floats([3, 4], X.map((v, i) => i >= 8 ? v + 3 : v))],
  },
  {
    type: "Expand",
    inputs: [floats([3, 1], [1, 2, 3]), list(2, 1, 2)],
    want: [floats([2, 3, 2], [1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3])],
  },
  { type: "Tile", inputs: [floats([1, 2], [1, 2]), list(2, 2)], want: [floats([2, 4], [1, 2, 1, 2, 1, 2, 1, 2])] },
  { type: "Range", inputs: [whole(5), whole(0), whole(-2)], want: [ids([3], [5, 3, 1])] },
  {
    type: "ConstantOfShape",
    attributes: { value: { tensor: { shape: [1], values: [2.5] } } },
    inputs: [list(2, 2)],
    want: [floats([2, 2], [2.5, 2.5, 2.5, 2.5])],
  },
  {
    type: "EyeLike",
    attributes: { k: 1 },
    inputs: [floats([2, 3], X.slice(0, 6))],
    want: [floats([2, 3], [0, 1, 0, 0, 0, 1])],
  },
  {
    type: "Trilu",
    attributes: { upper: 0 },
    inputs: [x, whole(-1)],
    want: [floats([3, 4], X.map((v, i) => i % 4 < Math.floor(i / 4) ? v : 0))],
  },
  {
    type: "OneHot",
    attributes: { axis: 0 },
    inputs: [ids([2], [2, -3]), whole(3), { ...floats([2], [1, 5]), constant: true }],
    want: [floats([3, 2], [1, 5, 1, 1, 5, 1])],
  },
  { type: "NonZero", inputs: [{ ...floats([2, 2], [1, 0, 0, 3]), constant: true }], want: [ids([2, 2], [0, 1, 0, 1])] },
  {
    type: "TopK",
    attributes: { axis: 0, largest: 0 },
    inputs: [floats([3, 2], [3, 1, 1, 2, 2, 0]), list(2)],
    want: [floats([2, 2], [1, 0, 2, 1]), ids([2, 2], [1, 2, 2, 0])],
  },
  {
    type: "Compress",
    attributes: { axis: 1 },
    inputs: [x, { shape: [3], values: [0, 1, 1], type: "bool", constant: true }],
    want: [floats([3, 2], columns(1, 2))],
  },
  {
    type: "ReverseSequence",
    attributes: { time_axis: 1, batch_axis: 0 },
    inputs: [x, list(1, 2, 4)],
    want: [floats([3, 4], [0, 1, 2, 3, 5, 4, 6, 7, 11, 10, 9, 8].map((i) => X[i]!))],
  },
  {
    type: "QuantizeLinear",
    inputs: [floats([4], [-3, 0.24, 0.26, 900]), floats([], [0.5])],
    want: [floats([4], [0, 0, 1, 255])],
  },
  {
    type: "DynamicQuantizeLinear",
    inputs: [floats([3], [-1, 0.5, 4.1])],
    want: [floats([3], [0, 75, 255]), floats([], [0.02]), floats([], [50])],
  },
  {
    type: "MatMulInteger",
    inputs: [floats([1, 2], [5, 7]), floats([2, 1], [2, 3]), floats([], [4]), floats([], [1])],
    want: [floats([1, 1], [7])],
  },
  {
    type: "DequantizeLinear",
    attributes: { axis: 0 },
    inputs: [floats([2, 2], [1, 2, 3, 4]), floats([2], [0.5, 2]), floats([2], [0, 1])],
    want: [floats([2, 2], [0.5, 1, 4, 6])],
  },
];

Deno.test("operators that move elements compute what the standard says", async () => {
  for (const test of CASES) await checkNode(test);
});

Deno.test("parts and indices that do not exist are refused with the place and the value", async () => {
  const refused: readonly [NodeCase, RegExp][] = [
    [{ type: "Reshape", inputs: [x, list(-2, -6)], want: [x] }, /cannot make \[-2, -6\] from \[3, 4\]/],
    [{ type: "Unsqueeze", inputs: [x, list(0, 0)], want: [x] }, /axes are \[0, 0\]; expected each once/],
    [{ type: "Flatten", attributes: { axis: 9 }, inputs: [x], want: [x] }, /axis 9 is out of range/],
    [
      { type: "Transpose", attributes: { perm: [0, 0] }, inputs: [{ ...x, constant: true }], want: [x] },
      /perm is \[0, 0\] for \[3, 4\]; expected each dimension once/,
    ],
    [{ type: "Trilu", inputs: [floats([2], [1, 2])], want: [x] }, /expected a matrix, got \[2\]/],
    [
      { type: "ReverseSequence", inputs: [x, list(1, 9, 1, 1)], want: [x] },
      /lengths \[1, 9, 1, 1\] do not fit \[3, 4\]/,
    ],
    [{ type: "Range", inputs: [whole(0), whole(0), whole(0)], want: [x] }, /the step is 0/],
    [{ type: "Reshape", inputs: [x, list(5, -1)], want: [x] }, /cannot make \[5, -1\] from \[3, 4\]/],
    [{ type: "Slice", inputs: [x, list(2), list(1)], want: [x] }, /nothing is left of \[3, 4\]/],
    [{ type: "Gather", inputs: [x, list(3)], want: [x] }, /the index 3 is out of range; expected -3 to 2/],
    [
      { type: "Split", inputs: [x, list(1, 1)], want: [x, x] },
      /cannot split dimension 0 of \[3, 4\] into parts of \[1, 1\]/,
    ],
    [{ type: "TopK", inputs: [x, list(5)], want: [x] }, /k is 5 for 4 elements; expected 1 to 4/],
    [{
      type: "ScatterND",
      opset: 18,
      attributes: { reduction: "mul" },
      inputs: [x, ids([1, 1], [0]), floats([1, 4], [1, 2, 3, 4])],
      want: [x],
    }, /reduction is "mul"; expected none or add/],
  ];
  for (const [test, message] of refused) await rejects(checkNode(test), { message });
});

/** Adds 1 to a value, and passes its condition on. */
const body: FileGraph = {
  inputs: [{ name: "turn" }, { name: "go" }, { name: "sum" }],
  outputs: [{ name: "go2" }, { name: "sum2" }, { name: "seen" }],
  nodes: [
    { type: "Identity", inputs: ["go"], outputs: ["go2"] },
    { type: "Add", inputs: ["sum", "step"], outputs: ["sum2"] },
    { type: "Identity", inputs: ["sum2"], outputs: ["seen"] },
  ],
};

Deno.test("loops are written out, conditions take a branch, and both read values around them", () => {
  const branch = (name: string): FileGraph => ({
    outputs: [{ name: "y" }],
    nodes: [{ type: "Identity", inputs: [name], outputs: ["y"] }],
  });
  const content = onnxFile({
    inputs: [{ name: "step" }],
    outputs: [{ name: "total" }, { name: "all" }, { name: "chosen" }],
    nodes: [
      {
        type: "Loop",
        inputs: ["turns", "", "start"],
        outputs: ["total", "all"],
        attributes: { body: { graph: body } },
      },
      {
        type: "If",
        inputs: ["flag"],
        outputs: ["chosen"],
        attributes: { then_branch: { graph: branch("total") }, else_branch: { graph: branch("step") } },
      },
    ],
    initializers: [
      { name: "turns", shape: [], type: "int64", values: [3] },
      { name: "start", shape: [], values: [10] },
      { name: "flag", shape: [], type: "bool", values: [0] },
    ],
  });
  const model = loadModel({ content, name: "loop.onnx", path: null }, () => false);
  const read = (inputs: Map<string, Constant>) =>
    addValues(model, {}, new Graph("infer"), inputs, ["total", "all", "chosen"]).map((value) => [
      value!.shape,
      [...(value as Constant).values],
    ]);
  const step = Constant.of("float", [], [2]);
  deepStrictEqual(read(new Map([["step", step]])), [[[], [16]], [[3], [12, 14, 16]], [[], [2]]]);
});

Deno.test("a loop without an end is refused", () => {
  const content = onnxFile({
    inputs: [{ name: "step" }],
    outputs: [{ name: "total" }],
    nodes: [{
      type: "Loop",
      inputs: ["", "", "step"],
      outputs: ["total", "all"],
      attributes: { body: { graph: body } },
    }],
  });
  const model = loadModel({ content, name: "loop.onnx", path: null }, () => false);
  const inputs = new Map([["step", Constant.of("float", [], [2])]]);
  throws(() => addValues(model, {}, new Graph("infer"), inputs, ["total"]), {
    message: /Loop of loop\.onnx: needs 16385 turns of loops and recurrent layers; expected at most 16384/,
  });
});
