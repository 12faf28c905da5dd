/** Windows, norms, padding and resizing at their edges: windows that reach beyond images, weights that are broadcast. */
import { rejects } from "node:assert/strict";
import { checkNode, drawn, floats, list, type NodeCase } from "../support/onnx_node.ts";

const row = (...values: readonly number[]) => floats([1, 1, values.length], values);

/** The norms take each [2, 3] of it as a whole. */
const X = drawn(12);
const x = floats([2, 2, 3], X);
const normal = (at: number) => {
  const rows = X.slice(6 * at, 6 * at + 6);
  const mean = rows.reduce((a, b) => a + b) / 6;
  const deviation = Math.sqrt(rows.reduce((sum, v) => sum + (v - mean) ** 2, 0) / 6 + 1e-5);
  return rows.map((v) => (v - mean) / deviation);
};
const root = (at: number) => {
  const rows = X.slice(6 * at, 6 * at + 6);
  return rows.map((v) => v / Math.sqrt(rows.reduce((sum, w) => sum + w * w, 0) / 6 + 1e-5));
};
const scales = floats([3], [1, 2, -3]);
const factor = (i: number) => [1, 2, -3][i % 3]!;

const CASES: readonly NodeCase[] = [
  {
    // Results of auto_pad have the size of the input times the stride, though windows of 1 leave out the last place
    type: "ConvTranspose",
    attributes: { strides: [2], auto_pad: "SAME_UPPER" },
    inputs: [row(1, 2), floats([1, 1, 1], [3])],
    want: [row(3, 0, 6, 0)],
  },
  {
    type: "ConvTranspose",
    attributes: { strides: [2], output_shape: [6] },
    inputs: [row(1, 2), floats([1, 1, 2], [1, 10]), floats([1], [0.5])],
    want: [row(1.5, 10.5, 2.5, 20.5, 0.5, 0.5)],
  },
  {
    type: "MaxPool",
    attributes: { kernel_shape: [3], strides: [2], ceil_mode: 1 },
    inputs: [row(4, 5)],
    want: [row(5)],
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
    inputs: [x, scales, floats([2, 1], [1, 2])],
    want: [floats([2, 2, 3], [0, 1].flatMap((at) => normal(at).map((v, i) => v * factor(i) + (i < 3 ? 1 : 2))))],
  },
  {
    type: "RMSNormalization",
    opset: 23,
    attributes: { axis: 1 },
    inputs: [x, scales],
    want: [floats([2, 2, 3], [0, 1].flatMap((at) => root(at).map((v, i) => v * factor(i))))],
  },
  {
    type: "Pad",
    opset: 7,
    attributes: { mode: "edge", pads: [1, 2], value: { float: 9 } },
    inputs: [floats([2], [1, 2])],
    want: [floats([5], [1, 1, 2, 2, 2])],
  },
  {
    // What is taken away is not repeated
    type: "Pad",
    opset: 19,
    attributes: { mode: "wrap" },
    inputs: [floats([4], [1, 2, 3, 4]), list(2, -1)],
    want: [floats([5], [2, 3, 1, 2, 3])],
  },
  {
    type: "Resize",
    opset: 10,
    attributes: { mode: "nearest" },
    inputs: [floats([2, 4], [1, 2, 3, 4, 5, 6, 7, 8]), { shape: [2], values: [2, 0.6], constant: true }],
    want: [floats([4, 2], [1, 3, 1, 3, 5, 7, 5, 7])],
  },
  {
    // 1.5 / 0.6 - 0.5 is 2, though the scale is somewhat more than 0.6
    type: "Resize",
    attributes: { mode: "nearest", nearest_mode: "floor" },
    inputs: [floats([4], [1, 2, 3, 4]), null, { shape: [1], values: [0.6], constant: true }],
    want: [floats([2], [1, 3])],
  },
];

Deno.test("windows, norms, padding and resizing compute what the standard says at their edges", async () => {
  for (const test of CASES) await checkNode({ tolerance: 2e-5, ...test });
});

Deno.test("a pooling without room for one window is refused", async () => {
  await rejects(
    checkNode({ type: "MaxPool", attributes: { kernel_shape: [3] }, inputs: [row(4, 5)], want: [x] }),
    /a window of \[3\] does not fit into \[2\] with the padding \[0, 0\]/,
  );
});
