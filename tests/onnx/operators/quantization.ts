/** References of quantised values. */
import type { NodeTensor } from "../../support/onnx_node.ts";
import { build, constant, type DrawCase, matmul, read } from "./draw.ts";

const roundEven = (x: number) => Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x);
const clampTo = (low: number, high: number) => (x: number) => Math.min(high, Math.max(low, x));

/** Scales whose quotients are exact, so that no rounding depends on the last bit. */
const SCALES = [0.25, 0.5, 1, 2];

const quantize: DrawCase = (draw) => {
  const shape = draw.shape(1, 3);
  const x = draw.floats(shape, { low: -300, high: 300, extremes: [0.5, 1.5, -2.5, 1e9, Infinity, -Infinity] });
  const { at, given } = draw.axis(shape.length);
  const perChannel = draw.chance();
  const count = perChannel ? [shape[at]!] : [];
  const scale = build(count, () => draw.pick(SCALES));
  const type = draw.pick([2, 3, 4, 5] as const);
  const [low, high] = { 2: [0, 255], 3: [-128, 127], 4: [0, 65535], 5: [-32768, 32767] }[type] as [number, number];
  if (type < 4 && draw.chance()) {
    const zero: NodeTensor = { ...draw.integers(count, 0, 9), type: type === 2 ? "uint8" : "int8", constant: true };
    const want = build(shape, (index) => {
      const place = perChannel ? [index[at]!] : [];
      return clampTo(low, high)(roundEven(clampTo(-1e6, 1e6)(read(x, index) / read(scale, place))) + read(zero, place));
    });
    return { opset: 13, inputs: [x, scale, zero], attributes: { axis: given }, want: [want] };
  }
  const want = build(
    shape,
    (index) =>
      clampTo(low, high)(roundEven(clampTo(-1e6, 1e6)(read(x, index) / read(scale, perChannel ? [index[at]!] : [])))),
  );
  return { opset: 21, inputs: [x, scale], attributes: { axis: given, output_dtype: type }, want: [want] };
};

const dequantize: DrawCase = (draw) => {
  const shape = draw.shape(1, 3);
  const x = draw.integers(shape, -128, 127);
  const { at, given } = draw.axis(shape.length);
  const perChannel = draw.chance();
  const count = perChannel ? [shape[at]!] : [];
  const [scale, zero] = [draw.floats(count, { low: 0.1 }), draw.integers(count, -5, 5)];
  const want = build(shape, (index) => {
    const place = perChannel ? [index[at]!] : [];
    return (read(x, index) - read(zero, place)) * read(scale, place);
  });
  return {
    inputs: [x, scale, draw.chance() ? zero : constant(zero)],
    attributes: { axis: given },
    want: [want],
    elements: 1e-5,
  };
};

const dynamic: DrawCase = (draw) => {
  const x = draw.chance(0.2)
    ? build(draw.shape(1), () => 0)
    : draw.floats(draw.shape(1), { extremes: [0, 3e38, -3e38] });
  const low = Math.min(0, ...x.values);
  const high = Math.max(0, ...x.values);
  const scale = Math.fround(high === low ? 1 : high / 255 - low / 255);
  const zero = roundEven(clampTo(0, 255)(-low / scale));
  const want = build(x.shape, (index) => clampTo(0, 255)(roundEven(read(x, index) / scale) + zero));
  const one = (value: number): NodeTensor => ({ shape: [], values: [value] });
  // A quotient next to a half may be rounded either way
  return { inputs: [x], want: [want, one(scale), one(zero)], elements: 1e-6, slack: 1 };
};

export const QUANTIZATION: ReadonlyMap<string, DrawCase> = new Map<string, DrawCase>([
  ["QuantizeLinear", quantize],
  ["DequantizeLinear", dequantize],
  ["DynamicQuantizeLinear", dynamic],
  ["QLinearMatMul", (draw) => {
    const [m, k, n] = [draw.whole(1, 4), draw.whole(1, 5), draw.whole(1, 4)];
    const number = (value: number, type?: "uint8"): NodeTensor =>
      constant({ shape: [], values: [value], ...type === undefined ? {} : { type } });
    const [a, b] = [draw.integers([m, k], 0, 255), draw.integers([k, n], 0, 255)].map((x): NodeTensor => ({
      ...x,
      type: "uint8",
    }));
    const rows: NodeTensor = draw.chance() ? build([m], () => draw.pick(SCALES)) : number(draw.pick(SCALES));
    const [columns, result] = [build([n], () => draw.pick(SCALES)), number(64)];
    const [za, zb, zy] = [
      number(draw.whole(0, 9), "uint8"),
      number(draw.whole(0, 9), "uint8"),
      number(draw.whole(0, 200), "uint8"),
    ];
    const product = matmul(
      build([m, k], (at) => read(a!, at) - za.values[0]!),
      build([k, n], (at) => read(b!, at) - zb.values[0]!),
    );
    const want = build([m, n], ([i, j]) => {
      const scaled = read(product, [i!, j!]) * read(rows, rows.shape.length === 0 ? [] : [i!]) * read(columns, [j!]) /
        64;
      return clampTo(0, 255)(roundEven(scaled) + zy.values[0]!);
    });
    return { inputs: [a!, rows, za, b!, columns, zb, result, zy], want: [want] };
  }],
  ["MatMulInteger", (draw) => {
    const [m, k, n] = [draw.whole(1, 4), draw.whole(1, 5), draw.whole(1, 4)];
    const [a, b] = [draw.integers([m, k], 0, 255), draw.integers([k, n], -128, 127)];
    const [za, zb] = [draw.integers(draw.chance() ? [m] : [], 0, 255), draw.integers(draw.chance() ? [n] : [], -5, 5)];
    const left = build([m, k], (index) => read(a, index) - read(za, za.shape.length === 0 ? [] : [index[0]!]));
    const right = build([k, n], (index) => read(b, index) - read(zb, zb.shape.length === 0 ? [] : [index[1]!]));
    return { inputs: [a, b, za, zb], want: [matmul(left, right)] };
  }],
]);
