/** Operators with windows and on images: convolutions, poolings, norms, padding, resizing; and recurrent networks. */
import { rejects } from "node:assert/strict";
import { checkNode, drawn, floats, list, type NodeCase } from "../support/onnx_node.ts";

const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

/** Images [1, 2, 5, 4]. */
const X = drawn(40);
const pixel = (c: number, i: number, j: number) => i < 0 || j < 0 || i >= 5 || j >= 4 ? 0 : X[20 * c + 4 * i + j]!;
const x = floats([1, 2, 5, 4], X);

/** Weight [3, 2, 3, 2]. */
const W = drawn(36, 3);
const w = floats([3, 2, 3, 2], W);

/** A convolution with the weight. */
function convolved(size: readonly [number, number], stride: number, top: number, left: number): number[] {
  return range(3).flatMap((o) =>
    range(size[0]).flatMap((i) =>
      range(size[1]).map((j) =>
        sum(
          range(2).flatMap((c) =>
            range(3).flatMap((a) =>
              range(2).map((b) =>
                W[12 * o + 6 * c + 2 * a + b]! * pixel(c, i * stride + a - top, j * stride + b - left)
              )
            )
          ),
        )
      )
    )
  );
}

/** Values of windows of 3 x 2 that move by 2, [2, rows, columns]. */
function windows(
  size: readonly [number, number],
  top: number,
  of: (values: readonly number[], inside: number) => number,
) {
  return range(2).flatMap((c) =>
    range(size[0]).flatMap((i) =>
      range(size[1]).map((j) => {
        const places = range(3).flatMap((a) => range(2).map((b) => [2 * i + a - top, 2 * j + b] as const));
        const inside = places.filter(([r, s]) => r >= 0 && r < 5 && s < 4);
        return of(inside.map(([r, s]) => pixel(c, r, s)), inside.length);
      })
    )
  );
}

/** Normalises groups of neighbours. */
function normalized(values: readonly number[], size: number, epsilon: number): number[] {
  return values.map((value, i) => {
    const group = values.slice(size * Math.floor(i / size), size * Math.floor(i / size) + size);
    const mean = sum(group) / size;
    return (value - mean) / Math.sqrt(sum(group.map((v) => (v - mean) ** 2)) / size + epsilon);
  });
}

const S = [1.5, -0.5];
const B = [0.25, 2];
const channel = (i: number) => Math.floor(i / 20);
const vector = (values: readonly number[]) => floats([values.length], values);

/** A sequence [3, 1, 2], and an LSTM of 1 hidden unit. */
const T = drawn(6, 2);
const sigmoid = (v: number) => 1 / (1 + Math.exp(-v));
const L = drawn(8, 5);
const R = drawn(4, 6);
const LB = drawn(8, 7);
function lstm(): { y: number[]; h: number; c: number } {
  let [h, c] = [0, 0];
  const y = range(3).map((t) => {
    const gate = (g: number) => L[2 * g]! * T[2 * t]! + L[2 * g + 1]! * T[2 * t + 1]! + LB[g]! + R[g]! * h + LB[4 + g]!;
    const [i, o, f, cell] = [sigmoid(gate(0)), sigmoid(gate(1)), sigmoid(gate(2)), Math.tanh(gate(3))];
    c = f * c + i * cell;
    h = o * Math.tanh(c);
    return h;
  });
  return { y, h, c };
}
const { y: LSTM_Y, h: LSTM_H, c: LSTM_C } = lstm();

/** A GRU of 1 hidden unit, whose reset gate is applied before the product with the state. */
const G = drawn(6, 8);
const GR = drawn(3, 9);
function gru(): number[] {
  let h = 0.5;
  return range(3).map((step) => {
    const t = 2 - step;
    const input = (g: number) => G[2 * g]! * T[2 * t]! + G[2 * g + 1]! * T[2 * t + 1]!;
    const [z, r] = [sigmoid(input(0) + GR[0]! * h), sigmoid(input(1) + GR[1]! * h)];
    h = (1 - z) * Math.tanh(input(2) + GR[2]! * r * h) + z * h;
    return h;
  }).reverse();
}
const GRU_Y = gru();

const CASES: readonly NodeCase[] = [
  {
    type: "Conv",
    inputs: [x, w, vector([1, 2, 3])],
    want: [floats([1, 3, 3, 3], convolved([3, 3], 1, 0, 0).map((v, i) => v + 1 + Math.floor(i / 9)))],
  },
  {
    type: "Conv",
    attributes: { auto_pad: "SAME_UPPER" },
    inputs: [x, w],
    want: [floats([1, 3, 5, 4], convolved([5, 4], 1, 1, 0))],
  },
  {
    type: "Conv",
    attributes: { pads: [2, 1, 0, 0], strides: [2, 2] },
    inputs: [x, w],
    want: [floats([1, 3, 3, 2], convolved([3, 2], 2, 2, 1))],
  },
  {
    type: "Conv",
    attributes: { dilations: [2], group: 2 },
    inputs: [floats([1, 2, 4], X.slice(0, 8)), floats([2, 1, 2], [1, 2, 3, 4])],
    want: [floats([1, 2, 2], [0, 1, 4, 5].map((p) => (p < 4 ? 1 : 3) * X[p]! + (p < 4 ? 2 : 4) * X[p + 2]!))],
  },
  {
    type: "ConvTranspose",
    attributes: { strides: [2] },
    inputs: [floats([1, 1, 2], [1, 2]), floats([1, 1, 3], [1, 10, 100]), vector([0.5])],
    want: [floats([1, 1, 5], [1.5, 10.5, 102.5, 20.5, 200.5])],
  },
  {
    type: "ConvTranspose",
    attributes: { strides: [2], output_padding: [1], pads: [1, 0] },
    inputs: [floats([1, 1, 2], [1, 2]), floats([1, 1, 3], [1, 10, 100])],
    want: [floats([1, 1, 5], [10, 102, 20, 200, 0])],
  },
  {
    type: "MaxPool",
    attributes: { kernel_shape: [3, 2], strides: [2, 2], pads: [2, 0, 0, 0] },
    inputs: [x],
    want: [floats([1, 2, 3, 2], windows([3, 2], 2, (v) => Math.max(...v)))],
  },
  {
    type: "MaxPool",
    attributes: { kernel_shape: [2], dilations: [3] },
    inputs: [floats([1, 1, 5], [5, 1, 2, 3, 4])],
    want: [floats([1, 1, 2], [5, 4])],
  },
  {
    type: "AveragePool",
    attributes: { kernel_shape: [3, 2], strides: [2, 2], pads: [1, 0, 1, 0] },
    inputs: [x],
    want: [floats([1, 2, 3, 2], windows([3, 2], 1, (v, n) => sum(v) / n))],
  },
  {
    type: "AveragePool",
    attributes: { kernel_shape: [3, 2], strides: [2, 2], pads: [1, 0, 1, 0], count_include_pad: 1 },
    inputs: [x],
    want: [floats([1, 2, 3, 2], windows([3, 2], 1, (v) => sum(v) / 6))],
  },
  {
    type: "AveragePool",
    attributes: { kernel_shape: [3], strides: [2], ceil_mode: 1 },
    inputs: [floats([1, 1, 4], [1, 2, 3, 5])],
    want: [floats([1, 1, 2], [2, 4])],
  },
  {
    type: "AveragePool",
    opset: 19,
    attributes: { kernel_shape: [2], dilations: [2], pads: [1, 1] },
    inputs: [floats([1, 1, 4], [1, 2, 3, 5])],
    want: [floats([1, 1, 4], [2, 2, 3.5, 3])],
  },
  {
    type: "AveragePool",
    attributes: { kernel_shape: [2, 1, 2], pads: [1, 0, 0, 0, 0, 0], strides: [1, 2, 1] },
    inputs: [floats([1, 1, 2, 3, 2], [1, 3, 9, 9, 0, 2, 5, 7, 9, 9, 4, 4])],
    want: [floats([1, 1, 2, 2, 1], [2, 1, 4, 2.5])],
  },
  {
    type: "MaxPool",
    attributes: { kernel_shape: [2, 2, 1], strides: [2, 1, 1], ceil_mode: 1 },
    inputs: [floats([1, 1, 3, 2, 2], [1, 8, 3, 4, 5, 6, 7, 2, -1, -2, -3, -4])],
    want: [floats([1, 1, 2, 1, 2], [7, 8, -1, -2])],
  },
  {
    type: "LpPool",
    opset: 18,
    attributes: { kernel_shape: [2], dilations: [2], p: 1 },
    inputs: [floats([1, 1, 4], [3, 4, -12, 1])],
    want: [floats([1, 1, 2], [15, 5])],
  },
  {
    type: "LpPool",
    attributes: { kernel_shape: [2], p: 2 },
    inputs: [floats([1, 1, 3], [3, 4, 12])],
    want: [floats([1, 1, 2], [5, Math.hypot(4, 12)])],
  },
  {
    type: "GlobalAveragePool",
    inputs: [x],
    want: [floats([1, 2, 1, 1], [0, 1].map((c) => sum(X.slice(20 * c, 20 * c + 20)) / 20))],
  },
  {
    type: "BatchNormalization",
    attributes: { epsilon: 0.1 },
    inputs: [x, vector(S), vector(B), vector([1, 2]), vector([4, 9])],
    want: [floats(
      [1, 2, 5, 4],
      X.map((v, i) => S[channel(i)]! * (v - channel(i) - 1) / Math.sqrt([4, 9][channel(i)]! + 0.1) + B[channel(i)]!),
    )],
  },
  {
    type: "InstanceNormalization",
    inputs: [x, vector(S), vector(B)],
    want: [floats([1, 2, 5, 4], normalized(X, 20, 1e-5).map((v, i) => S[channel(i)]! * v + B[channel(i)]!))],
  },
  {
    type: "GroupNormalization",
    opset: 21,
    attributes: { num_groups: 1 },
    inputs: [x, vector(S), vector(B)],
    want: [floats([1, 2, 5, 4], normalized(X, 40, 1e-5).map((v, i) => S[channel(i)]! * v + B[channel(i)]!))],
  },
  {
    type: "LayerNormalization",
    attributes: { axis: 3 },
    inputs: [x, vector([1, 2, 3, 4]), vector([4, 3, 2, 1])],
    want: [floats([1, 2, 5, 4], normalized(X, 4, 1e-5).map((v, i) => (i % 4 + 1) * v + 4 - i % 4))],
  },
  {
    type: "LRN",
    attributes: { size: 3, alpha: 0.3, beta: 0.5, bias: 2.5 },
    inputs: [x],
    want: [floats([1, 2, 5, 4], X.map((v, i) => v / Math.sqrt(2.5 + 0.1 * (X[i % 20]! ** 2 + X[i % 20 + 20]! ** 2))))],
  },
  {
    type: "Pad",
    attributes: { mode: "reflect" },
    inputs: [vector([1, 2, 3]), list(2, 1)],
    want: [vector([3, 2, 1, 2, 3, 2])],
  },
  {
    type: "Pad",
    opset: 18,
    inputs: [floats([2, 2], [1, 2, 3, 4]), list(1, -1), { shape: [], values: [9], constant: true }, list(1)],
    want: [floats([2, 2], [9, 1, 9, 3])],
  },
  {
    type: "Pad",
    opset: 19,
    attributes: { mode: "wrap" },
    inputs: [vector([1, 2, 3]), list(2, 1)],
    want: [vector([2, 3, 1, 2, 3, 1])],
  },
  {
    type: "Resize",
    attributes: { mode: "nearest", coordinate_transformation_mode: "asymmetric", nearest_mode: "floor" },
    inputs: [floats([1, 1, 1, 2], [1, 2]), null, floats([4], [1, 1, 2, 2])].map((t, i) =>
      i === 2 ? { ...t!, constant: true } : t
    ),
    want: [floats([1, 1, 2, 4], [1, 1, 2, 2, 1, 1, 2, 2])],
  },
  {
    type: "Resize",
    attributes: { mode: "linear" },
    inputs: [floats([1, 1, 1, 2], [0, 4]), null, null, list(1, 1, 1, 4)],
    want: [floats([1, 1, 1, 4], [0, 1, 3, 4])],
  },
  {
    type: "Resize",
    attributes: { mode: "linear", coordinate_transformation_mode: "align_corners" },
    inputs: [floats([1, 3], [0, 2, 6]), null, null, list(1, 5)],
    want: [floats([1, 5], [0, 1, 2, 4, 6])],
  },
  {
    type: "Resize",
    inputs: [vector(range(10)), null, { ...vector([Math.fround(0.7)]), constant: true }],
    want: [vector([0, 2, 3, 4, 6, 7, 9])],
  },
  {
    type: "Resize",
    inputs: [floats([1, 1, 1, 2], [1, 2]), null, { ...vector([1, 1, 2, 3]), constant: true }],
    want: [floats([1, 1, 2, 6], [1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2])],
  },
  {
    type: "Upsample",
    opset: 9,
    inputs: [floats([1, 2], [1, 2]), { shape: [2], values: [2, 1], constant: true }],
    want: [floats([2, 2], [1, 2, 1, 2])],
  },
  {
    type: "DepthToSpace",
    attributes: { blocksize: 2, mode: "CRD" },
    inputs: [floats([1, 4, 1, 1], [1, 2, 3, 4])],
    want: [floats([1, 1, 2, 2], [1, 2, 3, 4])],
  },
  {
    type: "SpaceToDepth",
    attributes: { blocksize: 2 },
    inputs: [floats([1, 1, 2, 4], range(8))],
    want: [floats([1, 4, 1, 2], [0, 2, 1, 3, 4, 6, 5, 7])],
  },
  {
    type: "LSTM",
    attributes: { hidden_size: 1 },
    inputs: [floats([3, 1, 2], T), floats([1, 4, 2], L), floats([1, 4, 1], R), floats([1, 8], LB)],
    want: [floats([3, 1, 1, 1], LSTM_Y), floats([1, 1, 1], [LSTM_H]), floats([1, 1, 1], [LSTM_C])],
  },
  {
    type: "GRU",
    attributes: { hidden_size: 1, direction: "reverse" },
    inputs: [floats([3, 1, 2], T), floats([1, 3, 2], G), floats([1, 3, 1], GR), null, null, floats([1, 1, 1], [0.5])],
    want: [floats([3, 1, 1, 1], GRU_Y), floats([1, 1, 1], [GRU_Y[0]!])],
  },
  {
    type: "RNN",
    attributes: { hidden_size: 1, layout: 1, activations: { strings: ["Relu"] } },
    inputs: [floats([1, 2, 1], [1, -3]), floats([1, 1, 1], [2]), floats([1, 1, 1], [5])],
    want: [floats([1, 2, 1, 1], [2, 4]), floats([1, 1, 1], [4])],
  },
];

Deno.test("operators with windows, and recurrent ones, compute what the standard says", async () => {
  for (const test of CASES) await checkNode({ tolerance: 2e-5, ...test });
});

Deno.test("windows that do not fit are refused with their numbers", async () => {
  const refused: readonly [NodeCase, RegExp][] = [
    [
      { type: "Conv", inputs: [floats([1, 1, 2, 2, 2], range(8)), floats([1, 1, 1, 1, 1], [1])], want: [x] },
      /one or two spatial dimensions, got \[1, 1, 2, 2, 2\]/,
    ],
    [{ type: "Conv", attributes: { pads: [1, 1] }, inputs: [x, w], want: [x] }, /pads is \[1, 1\]; expected 4 numbers/],
    [
      { type: "MaxPool", attributes: { kernel_shape: [6, 1] }, inputs: [x], want: [x] },
      /a window of \[6, 1\] does not fit into \[5, 4\]/,
    ],
    [
      {
        type: "BatchNormalization",
        opset: 7,
        attributes: { spatial: 0 },
        inputs: [x, vector(S), vector(B), vector(S), vector(B)],
        want: [x],
      },
      /spatial is 0; expected statistics per channel/,
    ],
    [{
      type: "Resize",
      attributes: { mode: "linear", antialias: 1 },
      opset: 18,
      inputs: [x, null, null, list(1, 2, 2, 2)],
      want: [x],
    }, /antialias is 1; only 0 is supported/],
    [{
      type: "LSTM",
      attributes: { hidden_size: 1 },
      inputs: [floats([3, 1, 2], T), floats([1, 4, 2], L), floats([1, 4, 1], R), null, list(2)],
      want: [x],
    }, /sequences of \[2\] positions; expected 3/],
  ];
  for (const [test, message] of refused) await rejects(checkNode(test), { message });
});
