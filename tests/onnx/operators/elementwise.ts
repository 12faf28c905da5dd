/** References of operators on elements. */
import type { NodeTensor } from "../../support/onnx_node.ts";
import { build, constant, type Draw, type DrawCase, EXTREMES, LARGE, read } from "./draw.ts";

interface UnaryOptions {
  readonly low?: number;
  readonly high?: number;
  readonly extremes?: readonly number[];
  readonly tolerance?: number;
  /** Absolute error that is allowed beside the relative one; default: 0. */
  readonly slack?: number;
  readonly attributes?: (draw: Draw) => Record<string, { readonly float: number }>;
  readonly opset?: number;
}

const MS = "com.microsoft";
const FINITE = EXTREMES.filter((x) => Number.isFinite(x));
const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
const log1pexp = (x: number) => x > 30 ? x : Math.log1p(Math.exp(x));

/** The error function by its series, or its continued fraction where that is small. */
export function erf(x: number): number {
  const a = Math.abs(x);
  if (a > 6) return Math.sign(x);
  let [term, total] = [a, a];
  for (let n = 1; n < 200; n++) {
    term *= -a * a / n;
    total += term / (2 * n + 1);
  }
  return Math.sign(x) * Math.min(1, 2 / Math.sqrt(Math.PI) * total);
}
const gelu = (x: number) => x === -Infinity ? NaN : 0.5 * x * (1 + erf(x / Math.SQRT2));
const tanhGelu = (x: number) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));

function unary(
  type: string,
  of: (x: number, attributes: Record<string, number>) => number,
  options: UnaryOptions = {},
): [string, DrawCase] {
  return [type, (draw) => {
    const x = draw.floats(draw.shape(), { extremes: FINITE, ...options });
    const attributes = options.attributes?.(draw) ?? {};
    const numbers = Object.fromEntries(
      Object.entries(attributes).map(([name, { float }]) => [name, Math.fround(float)]),
    );
    return {
      inputs: [x],
      attributes,
      ...options.opset === undefined ? {} : { opset: options.opset },
      want: [build(x.shape, (index) => of(read(x, index), numbers))],
      elements: options.tolerance ?? 3e-5,
      slack: options.slack ?? 0,
    };
  }];
}

/** An operator of integers and floats that is exact. */
function exact(type: string, of: (x: number) => number): [string, DrawCase] {
  return [type, (draw) => {
    const shape = draw.shape();
    const x = draw.chance() ? draw.integers(shape, -9, 9, LARGE) : draw.floats(shape, { extremes: EXTREMES });
    return { inputs: [x], want: [build(shape, (index) => of(read(x, index)), x.type)] };
  }];
}

const floatOf = (name: string, low: number, high: number) => (draw: Draw): Record<string, { float: number }> =>
  draw.chance(0.3) ? {} : { [name]: { float: draw.uniform(low, high) } };
const NONE: readonly number[] = [];

interface BinaryOptions {
  readonly integers?: (a: number, b: number) => number;
  readonly floats?: false;
  readonly result?: "bool";
  /** Range of ordinary integers of each operand. */
  readonly ranges?: readonly [a: readonly [number, number], b: readonly [number, number]];
  readonly large?: readonly number[];
  readonly low?: number;
  readonly extremes?: readonly number[];
  readonly tolerance?: number;
  readonly attributes?: Readonly<Record<string, number>>;
  readonly second?: { readonly low: number; readonly high: number };
}

function binary(type: string, of: (a: number, b: number) => number, options: BinaryOptions = {}): [string, DrawCase] {
  return [type, (draw) => {
    const [whole, a, b] = draw.broadcast(2);
    const isInteger = options.floats === false || (options.integers !== undefined && draw.chance(0.4));
    const [rangeA, rangeB] = options.ranges ?? [[-20, 20], [-20, 20]];
    const inputs = isInteger
      ? [draw.integers(a!, ...rangeA, options.large), draw.integers(b!, ...rangeB, options.large)]
      : [
        draw.floats(a!, {
          extremes: options.extremes ?? EXTREMES,
          ...options.low === undefined ? {} : { low: options.low },
        }),
        draw.floats(b!, { extremes: options.extremes ?? EXTREMES, ...options.second }),
      ];
    const [x, y] = inputs as [NodeTensor, NodeTensor];
    const apply = isInteger ? options.integers ?? of : of;
    return {
      // One operand may be known when the model is built
      inputs: draw.chance(0.3) ? [x, constant(y)] : draw.chance(0.3) ? [constant(x), y] : [x, y],
      attributes: options.attributes ?? {},
      want: [build(whole, (index) => apply(read(x, index), read(y, index)), options.result ?? x.type)],
      elements: options.tolerance ?? 1e-6,
    };
  }];
}

const compared = (type: string, of: (a: number, b: number) => boolean) =>
  binary(type, (a, b) => of(a, b) ? 1 : 0, { integers: (a, b) => of(a, b) ? 1 : 0, result: "bool", large: LARGE });

function logical(type: string, of: (a: boolean, b: boolean) => boolean): [string, DrawCase] {
  return [type, (draw) => {
    const [whole, a, b] = draw.broadcast(2);
    const [x, y] = [draw.booleans(a!), draw.booleans(b!)];
    const want = build(whole, (index) => of(read(x, index) !== 0, read(y, index) !== 0) ? 1 : 0, "bool");
    return { inputs: [x, y], want: [want] };
  }];
}

function several(type: string, of: (values: readonly number[]) => number, integers: boolean): [string, DrawCase] {
  return [type, (draw) => {
    const [whole, ...shapes] = draw.broadcast(draw.whole(1, 4));
    const isInteger = integers && draw.chance(0.4);
    const inputs = shapes.map((shape) =>
      isInteger ? draw.integers(shape, -9, 9, LARGE) : draw.floats(shape, { extremes: integers ? EXTREMES : [] })
    );
    const want = build(whole, (index) => of(inputs.map((x) => read(x, index))), inputs[0]!.type);
    return { inputs, want: [want], elements: 1e-6, slack: 4e-6 };
  }];
}

const clip: DrawCase = (draw) => {
  const shape = draw.shape();
  const isInteger = draw.chance(0.4);
  const x = isInteger ? draw.integers(shape, -9, 9, LARGE) : draw.floats(shape, { extremes: EXTREMES });
  const limit = (low: number, high: number, ends: readonly number[]) =>
    isInteger ? draw.integers([], low, high, LARGE) : draw.floats([], { low, high, extremes: ends });
  const [low, high] = [limit(-8, 0, [0, -3.4028234663852886e38]), limit(1, 8, [6, 3.4028234663852886e38])];
  const isEarly = !isInteger && draw.chance(0.2);
  const given = [draw.chance(0.7) ? low : null, draw.chance(0.7) ? high : null];
  const want = build(shape, (index) => {
    const value = Math.max(read(x, index), given[0]?.values[0] ?? -Infinity);
    return Math.min(value, given[1]?.values[0] ?? Infinity);
  }, x.type);
  const attributes = Object.fromEntries(
    ["min", "max"].flatMap((name, i) => given[i] === null ? [] : [[name, { float: given[i]!.values[0]! }]]),
  );
  const maybe = (tensor: NodeTensor | null) => tensor !== null && draw.chance() ? constant(tensor) : tensor;
  return {
    opset: isEarly ? 6 : 13,
    inputs: isEarly ? [x] : [x, maybe(given[0]!), maybe(given[1]!)],
    attributes: isEarly ? attributes : {},
    want: [want],
  };
};

const prelu: DrawCase = (draw) => {
  const shape = draw.shape(1);
  const along = shape.slice(draw.whole(0, shape.length)).map((n) => draw.chance(0.3) ? 1 : n);
  const isInteger = draw.chance(0.3);
  const x = isInteger ? draw.integers(shape, -9, 9, LARGE) : draw.floats(shape, { extremes: FINITE });
  const slope = isInteger ? draw.integers(along, 0, 1) : draw.floats(along, { low: -1, high: 1 });
  const want = build(
    shape,
    (index) => read(x, index) < 0 ? read(x, index) * read(slope, index) : read(x, index),
    x.type,
  );
  return { inputs: [x, slope], want: [want], elements: 1e-6 };
};

const where: DrawCase = (draw) => {
  const [whole, a, b, c] = draw.broadcast(3);
  const isInteger = draw.chance(0.4);
  const of = (shape: number[]) =>
    isInteger ? draw.integers(shape, -9, 9, LARGE) : draw.floats(shape, { extremes: EXTREMES });
  const [condition, x, y] = [draw.booleans(a!), of(b!), of(c!)];
  const want = build(whole, (index) => read(condition, index) !== 0 ? read(x, index) : read(y, index), x.type);
  return { inputs: [condition, x, draw.chance() ? constant(y) : y], want: [want] };
};

const isInf: DrawCase = (draw) => {
  const x = draw.floats(draw.shape(), { extremes: [...EXTREMES, NaN] });
  const [positive, negative] = [draw.whole(0, 1), draw.whole(0, 1)];
  const want = build(x.shape, (index) => {
    const value = read(x, index);
    return (positive === 1 && value === Infinity) || (negative === 1 && value === -Infinity) ? 1 : 0;
  }, "bool");
  return { inputs: [x], attributes: { detect_positive: positive, detect_negative: negative }, want: [want] };
};

const isNaN: DrawCase = (draw) => {
  const x = draw.floats(draw.shape(), { extremes: [...EXTREMES, NaN] });
  return { inputs: [x], want: [build(x.shape, (index) => Number.isNaN(read(x, index)) ? 1 : 0, "bool")] };
};

/** Element types by number, with the function that converts floats and integers to them. */
const CASTS: readonly (readonly [number, NodeTensor["type"], (x: number) => number])[] = [
  [1, "float32", (x) => Math.fround(x)],
  [7, "int64", Math.trunc],
  [6, "int32", Math.trunc],
  [9, "bool", (x) => x === 0 ? 0 : 1],
  [2, "int64", (x) => Math.trunc(x) & 255],
  [3, "int64", (x) => (Math.trunc(x) << 24) >> 24],
  [4, "int64", (x) => Math.trunc(x) & 65535],
  [5, "int64", (x) => (Math.trunc(x) << 16) >> 16],
];

const cast: DrawCase = (draw) => {
  const [to, type, of] = draw.pick(CASTS);
  const shape = draw.shape();
  const kind = draw.whole(0, 2);
  const [low, high] = to === 2 || to === 4 ? [0, 100] : [-100, 100];
  const x = kind === 0
    ? draw.floats(shape, { low, high })
    : kind === 1
    ? draw.integers(shape, -1000, 1000, LARGE)
    : draw.booleans(shape);
  return { inputs: [x], attributes: { to }, want: [build(shape, (index) => of(read(x, index)), type)] };
};

const castLike: DrawCase = (draw) => {
  const shape = draw.shape();
  const x = draw.chance() ? draw.floats(shape, { low: -100, high: 100 }) : draw.integers(shape, -9, 9);
  const like = draw.pick([draw.floats([2]), draw.integers([1], 0, 3), draw.booleans([])]);
  const of = like.type === "int64"
    ? Math.trunc
    : like.type === "bool"
    ? (v: number) => v === 0 ? 0 : 1
    : (v: number) => v;
  return { inputs: [x, like], want: [build(shape, (index) => of(read(x, index)), like.type ?? "float32")] };
};

const celu = (x: number, alpha: number) => Math.max(0, x) + Math.min(0, alpha * Math.expm1(x / alpha));
const biased = (type: string, of: (x: number) => number): [string, DrawCase] => [`${MS}.${type}`, (draw) => {
  const x = draw.floats(draw.shape(1));
  const bias = draw.floats([x.shape.at(-1)!]);
  const want = build(x.shape, (index) => of(read(x, index) + read(bias, index)));
  return { inputs: [x, bias], want: [want], elements: 3e-5, slack: 1e-6 };
}];

export const ELEMENTWISE: ReadonlyMap<string, DrawCase> = new Map([
  exact("Relu", (x) => Math.max(0, x)),
  exact("Abs", Math.abs),
  exact("Neg", (x) => -x),
  exact("Sign", Math.sign),
  unary("Sigmoid", sigmoid),
  unary("Tanh", Math.tanh),
  unary("Softplus", log1pexp),
  unary("Softsign", (x) => x / (1 + Math.abs(x))),
  unary("LeakyRelu", (x, { alpha = 0.01 }) => x < 0 ? alpha * x : x, { attributes: floatOf("alpha", 0, 0.5) }),
  unary("Elu", (x, { alpha = 1 }) => x < 0 ? alpha * Math.expm1(x) : x, { attributes: floatOf("alpha", 0.1, 2) }),
  unary("Celu", (x, { alpha = 1 }) => celu(x, alpha), { attributes: floatOf("alpha", 0.1, 2) }),
  unary("Selu", (x) => 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * Math.expm1(x))),
  unary("HardSigmoid", (x, { alpha = 0.2, beta = 0.5 }) => Math.min(1, Math.max(0, alpha * x + beta)), {
    attributes: (draw) => ({ ...floatOf("alpha", 0.1, 0.5)(draw), ...floatOf("beta", 0.1, 0.9)(draw) }),
    slack: 1e-6, // the sum cancels near its lower end
  }),
  unary("HardSwish", (x) => x * Math.min(1, Math.max(0, x / 6 + 0.5)), { opset: 14 }),
  unary("Mish", (x) => x * Math.tanh(log1pexp(x)), { opset: 18 }),
  unary("ThresholdedRelu", (x, { alpha = 1 }) => x > alpha ? x : 0, { attributes: floatOf("alpha", -1, 2) }),
  unary("Shrink", (x, { lambd = 0.5, bias = 0 }) => x < -lambd ? x + bias : x > lambd ? x - bias : 0, {
    attributes: (draw) => ({ ...floatOf("lambd", 0, 2)(draw), ...floatOf("bias", -1, 1)(draw) }),
  }),
  ["Gelu", (draw) => {
    const x = draw.floats(draw.shape(), { extremes: FINITE });
    const approximate = draw.pick(["none", "tanh"]);
    const want = build(x.shape, (index) => (approximate === "tanh" ? tanhGelu : gelu)(read(x, index)));
    return { opset: 20, attributes: { approximate }, inputs: [x], want: [want], elements: 3e-5, slack: 1e-6 };
  }],
  unary(`${MS}.Gelu`, gelu, { tolerance: 1e-4 }),
  unary(`${MS}.QuickGelu`, (x, { alpha = 1.702 }) => x * sigmoid(alpha * x), {
    attributes: floatOf("alpha", 1, 2),
  }),
  biased("BiasGelu", gelu),
  biased("FastGelu", tanhGelu),
  unary("Floor", Math.floor, { extremes: EXTREMES, tolerance: 0 }),
  unary("Ceil", Math.ceil, { extremes: EXTREMES, tolerance: 0 }),
  unary("Round", (x) => x - Math.floor(x) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x), {
    extremes: [...EXTREMES, 0.5, 1.5, -2.5],
    tolerance: 0,
  }),
  unary("Reciprocal", (x) => 1 / x, { extremes: [0, -0, 1e9, -1e-9, Infinity] }),
  unary("Exp", Math.exp),
  unary("Log", Math.log, { low: 0.01, extremes: [0, 1e-30, 3e38, Infinity] }),
  unary("Sqrt", Math.sqrt, { low: 0, extremes: [0, 1e-30, 3e38, Infinity] }),
  unary("Sin", Math.sin, { extremes: NONE }),
  unary("Cos", Math.cos, { extremes: NONE }),
  unary("Tan", Math.tan, { low: -1.4, high: 1.4, extremes: NONE, tolerance: 1e-4 }),
  unary("Asin", Math.asin, { low: -1, high: 1, extremes: [-1, 1, 0], tolerance: 1e-4 }),
  unary("Acos", Math.acos, { low: -1, high: 1, extremes: [-1, 1, 0], tolerance: 1e-4 }),
  unary("Atan", Math.atan, { extremes: EXTREMES }),
  unary("Sinh", Math.sinh, { extremes: [0, 1e-4, 20, -40, 89, -89, 3e38] }),
  unary("Cosh", Math.cosh, { extremes: [0, 1e-4, 20, -40, 89, -89, 3e38] }),
  unary("Asinh", Math.asinh, { extremes: EXTREMES }),
  unary("Acosh", Math.acosh, { low: 1, extremes: [1, 1.0001, 1e4, 1e20, 3e38] }),
  unary("Atanh", Math.atanh, { low: -0.99, high: 0.99, extremes: [0, 1e-4, -1e-30], tolerance: 1e-4 }),
  unary("Erf", erf),
  binary("Add", (a, b) => a + b, { integers: (a, b) => a + b, large: LARGE.slice(0, 2) }),
  binary("Sub", (a, b) => a - b, { integers: (a, b) => a - b, large: LARGE.slice(0, 2) }),
  binary("Mul", (a, b) => a * b, { integers: Math.imul, ranges: [[-40000, 40000], [-40000, 40000]] }),
  binary("Div", (a, b) => a / b, {
    integers: (a, b) => Math.trunc(a / b),
    ranges: [[-(2 ** 30), 2 ** 30], [1, 1000]],
    extremes: [0, 1e9, -1e-9, 1e4],
  }),
  ["Pow", (draw) => {
    const [whole, a, b] = draw.broadcast(2);
    const base = draw.chance() ? draw.integers(a!, -7, 7) : draw.floats(a!, { low: 0.1 });
    // The result has the type of the base, whatever that of the exponent is
    const exponent = draw.chance() ? draw.integers(b!, 0, 6) : draw.floats(b!, { low: 0, extremes: [1, 2, 4] });
    const isMixed = base.type === "int64" && exponent.type !== "int64";
    const x = isMixed ? { ...base, values: base.values.map(Math.abs) } : base;
    // Powers next to a whole number may be rounded either way
    const y = isMixed ? { ...exponent, values: exponent.values.map((value) => Math.round(value) + 0.25) } : exponent;
    const want = build(whole, (index) => {
      const value = read(x, index) ** read(y, index);
      return x.type === "int64" ? Math.trunc(value) : value;
    }, x.type);
    const inputs = draw.chance(0.3) ? [x, constant(y)] : draw.chance(0.3) ? [constant(x), y] : [x, y];
    return { inputs, want: [want], elements: 1e-4, slack: isMixed ? 1 : 0 };
  }],
  ["Mod", (draw) => {
    const fmod = draw.chance();
    return binary("Mod", (a, b) => a % b, {
      ...fmod ? {} : { floats: false },
      integers: fmod ? (a, b) => a % b : (a, b) => a - b * Math.floor(a / b),
      ranges: [[-(2 ** 30), 2 ** 30], draw.chance() ? [1, 50] : [-50, -1]],
      low: 0,
      second: { low: 1.5, high: 3 },
      extremes: NONE,
      attributes: { fmod: fmod ? 1 : 0 },
    })[1](draw);
  }],
  several("Max", (values) => Math.max(...values), true),
  several("Min", (values) => Math.min(...values), true),
  several("Sum", (values) => values.reduce((a, b) => a + b), false),
  several("Mean", (values) => values.reduce((a, b) => a + b) / values.length, false),
  compared("Equal", (a, b) => a === b),
  compared("Less", (a, b) => a < b),
  compared("LessOrEqual", (a, b) => a <= b),
  compared("Greater", (a, b) => a > b),
  compared("GreaterOrEqual", (a, b) => a >= b),
  logical("And", (a, b) => a && b),
  logical("Or", (a, b) => a || b),
  logical("Xor", (a, b) => a !== b),
  ["Not", (draw) => {
    const x = draw.booleans(draw.shape());
    return { inputs: [x], want: [build(x.shape, (index) => 1 - read(x, index), "bool")] };
  }],
  ["Clip", clip],
  ["PRelu", prelu],
  ["Where", where],
  ["IsInf", isInf],
  ["IsNaN", isNaN],
  ["Cast", cast],
  ["CastLike", castLike],
]);
