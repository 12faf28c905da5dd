/** Single nodes that random ones do not reach (operators_test.ts): attributes of other versions, windows at edges, and refusals. */
import { rejects } from "node:assert/strict";
import { checkNode, drawn, floats, list, type NodeCase, whole } from "../support/onnx_node.ts";

const X = drawn(12);
/** [3, 4] */
const x = floats([3, 4], X);
const image = floats([1, 2, 5, 4], drawn(40));
const vector = (...values: readonly number[]) => floats([values.length], values);
const row = (...values: readonly number[]) => floats([1, 1, values.length], values);
const ids = (shape: readonly number[], values: readonly number[]) => ({ shape, values, type: "int64" as const });

/** The norms take each [2, 3] of it as a whole. */
const pair = floats([2, 2, 3], X);
const halves = [X.slice(0, 6), X.slice(6)];
const mean = (values: readonly number[]) => values.reduce((a, b) => a + b) / values.length;
const scaled = (values: readonly number[]) =>
  values.map((v, i) => [1, 2, -3][i % 3]! * v / Math.sqrt(mean(values.map((w) => w * w)) + 1e-5));
const scales = vector(1, 2, -3);

const CASES: readonly NodeCase[] = [
  {
    type: "Add",
    opset: 6,
    attributes: { axis: 0, broadcast: 1 },
    inputs: [x, vector(10, 20, 30)],
    want: [floats([3, 4], X.map((a, i) => a + 10 + 10 * Math.floor(i / 4)))],
  },
  // Precise near 0
  ...([["Sinh", Math.sinh], ["Asinh", Math.asinh], ["Atanh", Math.atanh]] as const).map(([type, of]): NodeCase => ({
    type,
    inputs: [vector(...[1e-4, -3e-4, 2e-4].map(Math.fround))],
    want: [vector(...[1e-4, -3e-4, 2e-4].map(Math.fround).map(of))],
    tolerance: 1e-6,
  })),
  { type: "ReduceSum", attributes: { noop_with_empty_axes: 1 }, inputs: [x], want: [x] },
  {
    type: "Einsum",
    attributes: { equation: "i, i ->" },
    inputs: [vector(1, 2), vector(3, 4)],
    want: [floats([], [11])],
  },
  { type: "Reshape", inputs: [x, list(0, 2, -1)], want: [floats([3, 2, 2], X)] },
  {
    type: "Split",
    opset: 18,
    attributes: { num_outputs: 2 },
    inputs: [x],
    want: [floats([2, 4], X.slice(0, 8)), floats([1, 4], X.slice(8))],
  },
  { type: "Slice", inputs: [x, list(1), list(2 ** 62), list(0)], want: [floats([2, 4], X.slice(4))] },
  {
    type: "Slice",
    opset: 9,
    attributes: { starts: [1], ends: [2], axes: [0] },
    inputs: [x],
    want: [floats([1, 4], X.slice(4, 8))],
  },
  {
    type: "Conv",
    attributes: { auto_pad: "SAME_UPPER" },
    inputs: [row(1, 2, 3, 4), row(1, 10)],
    want: [row(21, 32, 43, 4)],
  },
  {
    type: "ConvTranspose",
    attributes: { strides: [2], output_padding: [1], pads: [1, 0] },
    inputs: [row(1, 2), row(1, 10, 100)],
    want: [row(10, 102, 20, 200, 0)],
  },
  {
    // Results of auto_pad have the size of the input times the stride, though windows of 1 leave out the last place
    type: "ConvTranspose",
    attributes: { strides: [2], auto_pad: "SAME_UPPER" },
    inputs: [row(1, 2), row(3)],
    want: [row(3, 0, 6, 0)],
  },
  {
    type: "ConvTranspose",
    attributes: { strides: [2], output_shape: [6] },
    inputs: [row(1, 2), row(1, 10), vector(0.5)],
    want: [row(1.5, 10.5, 2.5, 20.5, 0.5, 0.5)],
  },
  {
    type: "MaxPool",
    attributes: { kernel_shape: [3], strides: [2], ceil_mode: 1 },
    inputs: [row(4, 5)],
    want: [row(5)],
  },
  {
    type: "MaxPool",
    attributes: { kernel_shape: [2, 2, 1], strides: [2, 1, 1], ceil_mode: 1 },
    inputs: [floats([1, 1, 3, 2, 2], [1, 8, 3, 4, 5, 6, 7, 2, -1, -2, -3, -4])],
    want: [floats([1, 1, 2, 1, 2], [7, 8, -1, -2])],
  },
  {
    type: "AveragePool",
    attributes: { kernel_shape: [2, 1, 2], pads: [1, 0, 0, 0, 0, 0], strides: [1, 2, 1] },
    inputs: [floats([1, 1, 2, 3, 2], [1, 3, 9, 9, 0, 2, 5, 7, 9, 9, 4, 4])],
    want: [floats([1, 1, 2, 2, 1], [2, 1, 4, 2.5])],
  },
  {
    type: "AveragePool",
    attributes: { kernel_shape: [3], strides: [2], ceil_mode: 1 },
    inputs: [row(1, 2, 3, 5)],
    want: [row(2, 4)],
  },
  {
    type: "AveragePool",
    opset: 19,
    attributes: { kernel_shape: [2], dilations: [2], pads: [1, 1] },
    inputs: [row(1, 2, 3, 5)],
    want: [row(2, 2, 3.5, 3)],
  },
  {
    type: "AveragePool",
    opset: 19,
    attributes: { kernel_shape: [2], dilations: [2], strides: [2], ceil_mode: 1, count_include_pad: 1, pads: [1, 0] },
    inputs: [row(1, 2, 3, 5)],
    want: [row(1, 3.5)],
  },
  {
    type: "LpPool",
    opset: 18,
    attributes: { kernel_shape: [2], dilations: [2] },
    inputs: [row(3, 0, 4, 2)],
    want: [row(5, 2)],
  },
  {
    type: "LayerNormalization",
    attributes: { axis: 1 },
    inputs: [pair, scales, floats([2, 1], [1, 2])],
    want: [floats(
      [2, 2, 3],
      halves.flatMap((half) => scaled(half.map((v) => v - mean(half))).map((v, i) => v + (i < 3 ? 1 : 2))),
    )],
  },
  {
    type: "RMSNormalization",
    opset: 23,
    attributes: { axis: 1 },
    inputs: [pair, scales],
    want: [floats([2, 2, 3], halves.flatMap(scaled))],
  },
  {
    type: "Pad",
    opset: 7,
    attributes: { mode: "edge", pads: [1, 2], value: { float: 9 } },
    inputs: [vector(1, 2)],
    want: [vector(1, 1, 2, 2, 2)],
  },
  {
    type: "Pad",
    opset: 18,
    inputs: [floats([2, 2], [1, 2, 3, 4]), list(1, -1), { shape: [], values: [9], constant: true }, list(1)],
    want: [floats([2, 2], [9, 1, 9, 3])],
  },
  {
    // What is taken away is not repeated
    type: "Pad",
    opset: 19,
    attributes: { mode: "wrap" },
    inputs: [vector(1, 2, 3, 4), list(2, -1)],
    want: [vector(2, 3, 1, 2, 3)],
  },
  {
    type: "Resize",
    attributes: { mode: "linear", coordinate_transformation_mode: "align_corners" },
    inputs: [floats([1, 3], [0, 2, 6]), null, null, list(1, 5)],
    want: [floats([1, 5], [0, 1, 2, 4, 6])],
  },
  {
    type: "Resize",
    inputs: [floats([1, 1, 1, 2], [1, 2]), null, { ...vector(1, 1, 2, 3), constant: true }],
    want: [floats([1, 1, 2, 6], [1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2])],
  },
  {
    type: "Resize",
    inputs: [vector(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), null, { ...vector(Math.fround(0.7)), constant: true }],
    want: [vector(0, 2, 3, 4, 6, 7, 9)],
  },
  {
    type: "Resize",
    opset: 10,
    attributes: { mode: "nearest" },
    inputs: [floats([2, 4], [1, 2, 3, 4, 5, 6, 7, 8]), { ...vector(2, 0.6), constant: true }],
    want: [floats([4, 2], [1, 3, 1, 3, 5, 7, 5, 7])],
  },
  {
    // 1.5 / 0.6 - 0.5 is 2, though the scale is somewhat more than 0.6
    type: "Resize",
    attributes: { mode: "nearest", nearest_mode: "floor" },
    inputs: [vector(1, 2, 3, 4), null, { ...vector(0.6), constant: true }],
    want: [vector(1, 3)],
  },
];

Deno.test("nodes at the edges of the standard compute what it says", async () => {
  for (const test of CASES) await checkNode({ tolerance: 2e-5, ...test });
});

const REFUSED: readonly (readonly [Omit<NodeCase, "want">, RegExp])[] = [
  [
    { type: "Gelu", attributes: { approximate: "erf" }, inputs: [x] },
    /layer "gelu": Gelu of node\.onnx: approximate is "erf"; expected none or tanh/,
  ],
  [{ type: "ReduceSum", inputs: [x, list(2)] }, /axis 2 is out of range; expected -2 to 1/],
  [{ type: "Cast", attributes: { to: 8 }, inputs: [x] }, /has elements of type string/],
  [{ type: "Clip", inputs: [x, vector(1, 2, 3)] }, /the limit \(input 1\) has the shape \[3\]; expected one number/],
  [{ type: "Reshape", inputs: [x, list(-2, -6)] }, /cannot make \[-2, -6\] from \[3, 4\]/],
  [{ type: "Reshape", inputs: [x, list(5, -1)] }, /cannot make \[5, -1\] from \[3, 4\]/],
  [{ type: "Unsqueeze", inputs: [x, list(0, 0)] }, /axes are \[0, 0\]; expected each once/],
  [{ type: "Squeeze", inputs: [x, list(1)] }, /dimension 1 of \[3, 4\] has more than one element/],
  [{ type: "Flatten", attributes: { axis: 9 }, inputs: [x] }, /axis 9 is out of range/],
  [
    { type: "Transpose", attributes: { perm: [0, 0] }, inputs: [{ ...x, constant: true }] },
    /perm is \[0, 0\] for \[3, 4\]; expected each dimension once/,
  ],
  [{ type: "Trilu", inputs: [vector(1, 2)] }, /expected a matrix, got \[2\]/],
  [{ type: "ReverseSequence", inputs: [x, list(1, 9, 1, 1)] }, /lengths \[1, 9, 1, 1\] do not fit \[3, 4\]/],
  [{ type: "Range", inputs: [whole(0), whole(0), whole(0)] }, /the step is 0/],
  [{ type: "Slice", inputs: [x, list(2), list(1)] }, /nothing is left of \[3, 4\]/],
  [{ type: "Gather", inputs: [x, list(3)] }, /the index 3 is out of range; expected -3 to 2/],
  [{ type: "Split", inputs: [x, list(1, 1)] }, /cannot split dimension 0 of \[3, 4\] into parts of \[1, 1\]/],
  [{ type: "TopK", inputs: [x, list(5)] }, /k is 5 for 4 elements; expected 1 to 4/],
  [
    {
      type: "ScatterND",
      opset: 18,
      attributes: { reduction: "mul" },
      inputs: [x, ids([1, 1], [0]), floats([1, 4], [1, 2, 3, 4])],
    },
    /reduction is "mul"; expected none or add/,
  ],
  [
    { type: "Conv", inputs: [floats([1, 1, 2, 2, 2], X.slice(0, 8)), floats([1, 1, 1, 1, 1], [1])] },
    /one or two spatial dimensions, got \[1, 1, 2, 2, 2\]/,
  ],
  [
    { type: "Conv", attributes: { pads: [1, 1] }, inputs: [image, floats([3, 2, 3, 2], drawn(36))] },
    /pads is \[1, 1\]; expected 4 numbers/,
  ],
  [
    { type: "MaxPool", attributes: { kernel_shape: [6, 1] }, inputs: [image] },
    /a window of \[6, 1\] does not fit into \[5, 4\]/,
  ],
  [
    { type: "MaxPool", attributes: { kernel_shape: [3] }, inputs: [row(4, 5)] },
    /a window of \[3\] does not fit into \[2\] with the padding \[0, 0\]/,
  ],
  [
    {
      type: "BatchNormalization",
      opset: 7,
      attributes: { spatial: 0 },
      inputs: [image, vector(1, 2), vector(1, 2), vector(1, 2), vector(1, 2)],
    },
    /spatial is 0; expected statistics per channel/,
  ],
  [
    {
      type: "Resize",
      opset: 18,
      attributes: { mode: "linear", antialias: 1 },
      inputs: [image, null, null, list(1, 2, 2, 2)],
    },
    /antialias is 1; only 0 is supported/,
  ],
  [
    {
      type: "LSTM",
      attributes: { hidden_size: 1 },
      inputs: [
        floats([3, 1, 2], X.slice(6)),
        floats([1, 4, 2], X.slice(4)),
        floats([1, 4, 1], X.slice(8)),
        null,
        list(2),
      ],
    },
    /sequences of \[2\] positions; expected 3/,
  ],
  [
    { type: "Attention", opset: 23, attributes: { softcap: { float: 5 } }, inputs: [pair, pair, pair] },
    /layer "attention": Attention of node\.onnx: softcap is not supported/,
  ],
  [
    {
      type: "Attention",
      opset: 23,
      attributes: { q_num_heads: 1 },
      inputs: [pair, pair, pair, null, floats([2, 1, 1, 3], X.slice(6)), floats([2, 1, 1, 3], X.slice(6))],
    },
    /keys and values of the past are not supported/,
  ],
];

Deno.test("what an operator does not take is refused with the place, the value and what was expected", async () => {
  for (const [test, message] of REFUSED) await rejects(checkNode({ ...test, want: [x, x] }), { message }, test.type);
});
