/** Operators on elements: arithmetic, functions, activations, comparisons, conversions, reductions. */
import { rejects } from "node:assert/strict";
import { checkNode, drawn, floats, list, type NodeCase, number, whole } from "../support/onnx_node.ts";

const X = drawn(6);
const Y = drawn(6, 4);
const x = floats([2, 3], X);
const y = floats([2, 3], Y);
const at = (apply: (a: number, b: number) => number) => [floats([2, 3], X.map((a, i) => apply(a, Y[i]!)))];
const each = (apply: (a: number) => number) => [floats([2, 3], X.map(apply))];

const ints = (values: readonly number[]) => ({ shape: [values.length], values, type: "int64" as const });
const sigmoid = (a: number) => 1 / (1 + Math.exp(-a));
const softmax = (row: readonly number[]) => {
  const powers = row.map(Math.exp);
  return powers.map((p) => p / powers.reduce((a, b) => a + b));
};

const CASES: readonly NodeCase[] = [
  { type: "Sub", inputs: [x, y], want: at((a, b) => a - b) },
  { type: "Div", inputs: [ints([7, -7, 9]), ints([2, 2, -4])], want: [ints([3, -3, -2])] },
  { type: "Mod", inputs: [ints([7, -7, 7]), ints([3, 3, -3])], want: [ints([1, 2, -2])] },
  { type: "Mod", inputs: [x, y], attributes: { fmod: 1 }, want: at((a, b) => a % b) },
  { type: "Max", inputs: [x, y, number(0.5)], want: at((a, b) => Math.max(a, b, 0.5)) },
  { type: "Mean", inputs: [x, y], want: at((a, b) => (a + b) / 2) },
  {
    type: "Add",
    opset: 6,
    attributes: { axis: 0, broadcast: 1 },
    inputs: [x, floats([2], [10, 20])],
    want: [floats([2, 3], X.map((a, i) => a + (i < 3 ? 10 : 20)))],
  },
  {
    type: "Mul",
    inputs: [floats([3], X.slice(0, 3)), floats([1, 1, 1], [2])],
    want: [floats([1, 1, 3], X.slice(0, 3).map((a) => 2 * a))],
  },
  { type: "Round", inputs: [floats([4], [0.5, 1.5, -2.5, 1.2])], want: [floats([4], [0, 2, -2, 1])] },
  { type: "Acos", inputs: [floats([3], [-0.9, 0.1, 0.8])], want: [floats([3], [-0.9, 0.1, 0.8].map(Math.acos))] },
  { type: "Atanh", inputs: [floats([2], [-0.6, 0.3])], want: [floats([2], [-0.6, 0.3].map(Math.atanh))] },
  ...([["Sinh", Math.sinh], ["Asinh", Math.asinh], ["Atanh", Math.atanh]] as const).map(([type, of]): NodeCase => ({
    type,
    inputs: [floats([3], [1e-4, -3e-4, 2e-4].map(Math.fround))],
    want: [floats([3], [1e-4, -3e-4, 2e-4].map(Math.fround).map(of))],
    tolerance: 1e-6,
  })),
  {
    type: "Asinh",
    inputs: [floats([2], [-1e30, 3e20])],
    want: [floats([2], [-1e30, 3e20].map(Math.fround).map(Math.asinh))],
  },
  { type: "Asinh", inputs: [x], want: each(Math.asinh) },
  {
    type: "Xor",
    inputs: [ints([0, 1, 1]), ints([1, 1, 0])].map((t) => ({ ...t, type: "bool" as const })),
    want: [floats([3], [1, 0, 1])],
  },
  { type: "Not", inputs: [{ ...ints([0, 1]), type: "bool" }], want: [floats([2], [1, 0])] },
  { type: "LessOrEqual", inputs: [ints([1, 2, 3]), ints([2, 2, 2])], want: [floats([3], [1, 1, 0])] },
  {
    type: "Where",
    inputs: [{ shape: [2, 1], values: [1, 0], type: "bool" }, x, number(9)],
    want: [floats([2, 3], X.map((a, i) => i < 3 ? a : 9))],
  },
  {
    type: "IsInf",
    attributes: { detect_negative: 0 },
    inputs: [floats([3], [1, Infinity, -Infinity])],
    want: [floats([3], [0, 1, 0])],
  },
  { type: "Cast", attributes: { to: 7 }, inputs: [floats([3], [1.9, -1.9, 0])], want: [ints([1, -1, 0])] },
  { type: "Cast", attributes: { to: 9 }, inputs: [floats([3], [0.5, -2, 0])], want: [floats([3], [1, 1, 0])] },
  { type: "Clip", inputs: [x, number(-0.5), number(1)], want: each((a) => Math.min(1, Math.max(-0.5, a))) },
  { type: "Clip", opset: 6, attributes: { min: 0, max: { float: 6 } }, inputs: [x], want: each((a) => Math.max(0, a)) },
  { type: "Clip", inputs: [x, null, number(0)], want: each((a) => Math.min(0, a)) },
  { type: "LeakyRelu", attributes: { alpha: 0.1 }, inputs: [x], want: each((a) => a < 0 ? 0.1 * a : a) },
  {
    type: "PRelu",
    inputs: [x, floats([3], [0.1, 0.2, 0.3])],
    want: [floats([2, 3], X.map((a, i) => a < 0 ? a * [0.1, 0.2, 0.3][i % 3]! : a))],
  },
  {
    type: "Selu",
    inputs: [x],
    want: each((a) => 1.0507009873554805 * (a > 0 ? a : 1.6732632423543772 * Math.expm1(a))),
  },
  {
    type: "Celu",
    attributes: { alpha: { float: 2 } },
    inputs: [x],
    want: each((a) => Math.max(0, a) + Math.min(0, 2 * Math.expm1(a / 2))),
  },
  { type: "HardSigmoid", inputs: [x], want: each((a) => Math.min(1, Math.max(0, 0.2 * a + 0.5))) },
  { type: "Mish", inputs: [x], want: each((a) => a * Math.tanh(Math.log1p(Math.exp(a)))) },
  {
    type: "Gelu",
    opset: 20,
    attributes: { approximate: "tanh" },
    inputs: [x],
    want: each((a) => a * sigmoid(1.5957691216057308 * (a + 0.044715 * a ** 3))),
  },
  {
    type: "Shrink",
    attributes: { lambd: 0.5, bias: 0.25 },
    inputs: [x],
    want: each((a) => a > 0.5 ? a - 0.25 : a < -0.5 ? a + 0.25 : 0),
  },
  { type: "Softmax", inputs: [x], want: [floats([2, 3], [...softmax(X.slice(0, 3)), ...softmax(X.slice(3))])] },
  {
    type: "Softmax",
    opset: 11,
    attributes: { axis: 1 },
    inputs: [floats([1, 2, 3], X)],
    want: [floats([1, 2, 3], softmax(X))],
  },
  { type: "Hardmax", inputs: [floats([2, 3], [1, 3, 3, 2, 1, 0])], want: [floats([2, 3], [0, 1, 0, 1, 0, 0])] },
  {
    type: "ReduceMean",
    opset: 18,
    inputs: [x, list(-1)],
    attributes: { keepdims: 0 },
    want: [floats([2], [0, 3].map((r) => (X[r]! + X[r + 1]! + X[r + 2]!) / 3))],
  },
  {
    type: "ReduceL2",
    attributes: { axes: [0] },
    inputs: [x],
    want: [floats([1, 3], [0, 1, 2].map((c) => Math.hypot(X[c]!, X[c + 3]!)))],
  },
  {
    type: "ReduceProd",
    attributes: { axes: [1] },
    inputs: [x],
    want: [floats([2, 1], [0, 3].map((r) => X[r]! * X[r + 1]! * X[r + 2]!))],
  },
  { type: "ReduceSum", attributes: { noop_with_empty_axes: 1 }, inputs: [x], want: [x] },
  { type: "ReduceMax", inputs: [x], attributes: { keepdims: 0 }, want: [floats([], [Math.max(...X)])] },
  {
    type: "ArgMax",
    attributes: { axis: 1, select_last_index: 1, keepdims: 0 },
    inputs: [floats([2, 3], [1, 3, 3, 2, 2, 0])],
    want: [ints([2, 1])],
  },
  {
    type: "ArgMin",
    attributes: { axis: 0 },
    inputs: [floats([2, 2], [1, 3, 0, 4])],
    want: [{ shape: [1, 2], values: [1, 0], type: "int64" }],
  },
  {
    type: "CumSum",
    attributes: { exclusive: 1, reverse: 1 },
    inputs: [floats([3], [1, 2, 4]), whole(0)],
    want: [floats([3], [6, 4, 0])],
  },
  {
    type: "Einsum",
    attributes: { equation: "ij, kj -> ik" },
    inputs: [x, y],
    want: [floats(
      [2, 2],
      [0, 3].flatMap((r) => [0, 3].map((s) => X[r]! * Y[s]! + X[r + 1]! * Y[s + 1]! + X[r + 2]! * Y[s + 2]!)),
    )],
  },
];

Deno.test("operators on elements compute what the standard says", async () => {
  for (const test of CASES) await checkNode(test);
});

Deno.test("what an operator does not take is refused with its value and what was expected", async () => {
  const refused: readonly [NodeCase, RegExp][] = [
    [
      { type: "Gelu", attributes: { approximate: "erf" }, inputs: [x], want: [x] },
      /layer "gelu": Gelu of node\.onnx: approximate is "erf"; expected none or tanh/,
    ],
    [{ type: "ReduceSum", inputs: [x, list(2)], want: [x] }, /axis 2 is out of range; expected -2 to 1/],
    [{ type: "Cast", attributes: { to: 8 }, inputs: [x], want: [x] }, /has elements of type string/],
    [{ type: "Relu", attributes: { slope: 1 }, inputs: [x], want: [x] }, /the attribute "slope" is not supported/],
    [
      { type: "Clip", inputs: [x, floats([3], [1, 2, 3])], want: [x] },
      /the limit \(input 1\) has the shape \[3\]; expected one number/,
    ],
  ];
  for (const [test, message] of refused) await rejects(checkNode(test), { message });
});
