import assert from "node:assert/strict";
import { add } from "../../ops/add.ts";
import { atan, cos, erf, sin } from "../../ops/trigonometry.ts";
import { abs, div, mul, neg, sign, sub } from "../../ops/arithmetic.ts";
import { clamp, maximum, minimum, where } from "../../ops/choice.ts";
import { equal, greater, greaterEqual, less, lessEqual, notEqual } from "../../ops/comparisons.ts";
import type { Operand } from "../../ops/elementwise_op.ts";
import { exp, log, rsqrt, sqrt } from "../../ops/exponential.ts";
import { pow } from "../../ops/pow.ts";
import { ceil, floor, round } from "../../ops/rounding.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { activation, rowMajor } from "../../runtime/graph/types.ts";
import { broadcast, shapeOfBoth } from "../support/broadcast_reference.ts";
import { evaluate } from "../support/evaluate.ts";
import { checkOp, distinct, everyCandidate, normals } from "../support/op_case.ts";
import { refuses } from "../support/refuses.ts";

interface Unary {
  readonly apply: (x: Tensor) => Tensor;
  readonly value: (x: number) => number;
  /** Maps standard normal draws into the function's domain. */
  readonly domain?: (x: number) => number;
  /** False for a function whose gradient is 0. */
  readonly gradients?: boolean;
}

const positive = (x: number) => 0.3 + Math.abs(x);

/** Error function by its Taylor series in f64, precise for |x| < 4. */
function erfOf(x: number): number {
  let [term, sum] = [x, x];
  for (let n = 1; n < 120; n++) {
    term *= -x * x / n;
    sum += term / (2 * n + 1);
  }
  return 2 / Math.sqrt(Math.PI) * sum;
}

/** Rounds to the nearest whole number, to the even one of two. */
function evenOf(x: number): number {
  const below = Math.floor(x);
  if (x - below !== 0.5) return Math.round(x);
  return below % 2 === 0 ? below : below + 1;
}

const UNARY: Readonly<Record<string, Unary>> = {
  neg: { apply: neg, value: (x) => -x },
  abs: { apply: abs, value: Math.abs },
  sign: { apply: sign, value: Math.sign, gradients: false },
  exp: { apply: exp, value: Math.exp },
  log: { apply: log, value: Math.log, domain: positive },
  sqrt: { apply: sqrt, value: Math.sqrt, domain: positive },
  rsqrt: { apply: rsqrt, value: (x) => 1 / Math.sqrt(x), domain: positive },
  sin: { apply: sin, value: Math.sin, domain: (x) => 5 * x },
  cos: { apply: cos, value: Math.cos, domain: (x) => 5 * x },
  erf: { apply: erf, value: erfOf },
  atan: { apply: atan, value: Math.atan, domain: (x) => 3 * x },
  floor: { apply: floor, value: Math.floor, gradients: false, domain: (x) => 4 * x },
  ceil: { apply: ceil, value: Math.ceil, gradients: false, domain: (x) => 4 * x },
  round: { apply: round, value: evenOf, gradients: false, domain: (x) => Math.round(8 * x) / 2 },
  clamp: { apply: (x) => clamp(x, { low: -0.5, high: 0.75 }), value: (x) => Math.min(0.75, Math.max(-0.5, x)) },
  "clamp from below": { apply: (x) => clamp(x, { low: 0 }), value: (x) => Math.max(0, x) },
  square: { apply: (x) => pow(x, 2), value: (x) => x * x },
  cube: { apply: (x) => pow(x, 3), value: (x) => x ** 3 },
  "inverse square": { apply: (x) => pow(x, -2), value: (x) => x ** -2, domain: (x) => Math.sign(x) * positive(x) },
  "power of 1.5": { apply: (x) => pow(x, 1.5), value: (x) => x ** 1.5, domain: positive },
  "power of 0": { apply: (x) => pow(x, 0), value: () => 1 },
  "number - x": { apply: (x) => sub(1.5, x), value: (x) => 1.5 - x },
  "x * number": { apply: (x) => mul(x, -2.5), value: (x) => -2.5 * x },
  "number / x": { apply: (x) => div(2, x), value: (x) => 2 / x, domain: (x) => Math.sign(x) * positive(x) },
  "2 to the power of x": { apply: (x) => pow(2, x), value: (x) => 2 ** x },
};

for (const [name, { apply, value, domain = (x: number) => x, gradients = true }] of Object.entries(UNARY)) {
  Deno.test(`${name} and its gradient match the reference`, async () => {
    await checkOp({
      name,
      inputs: { x: { shape: [5, 13], values: normals(65, 3).map(domain) } },
      build: ({ x }) => apply(x),
      reference: ({ x }) => Float64Array.from(x, value),
      tolerance: { f32: 1e-5, f16: 3e-3 },
      step: 1e-6,
      gradients,
    });
  });
}

interface Binary {
  readonly apply: (a: Operand, b: Operand) => Tensor;
  readonly value: (a: number, b: number) => number;
  readonly domain?: readonly [(a: number) => number, (b: number) => number];
}

const same = (x: number) => x;
const apart = (x: number) => Math.sign(x) * positive(x);

const BINARY: Readonly<Record<string, Binary>> = {
  add: { apply: add, value: (a, b) => a + b },
  sub: { apply: sub, value: (a, b) => a - b },
  mul: { apply: mul, value: (a, b) => a * b },
  div: { apply: div, value: (a, b) => a / b, domain: [same, apart] },
  pow: { apply: pow, value: (a, b) => a ** b, domain: [positive, same] },
  minimum: { apply: minimum, value: Math.min },
  maximum: { apply: maximum, value: Math.max },
  equal: { apply: equal, value: (a, b) => Number(a === b), domain: [Math.round, Math.round] },
  notEqual: { apply: notEqual, value: (a, b) => Number(a !== b), domain: [Math.round, Math.round] },
  less: { apply: less, value: (a, b) => Number(a < b) },
  lessEqual: { apply: lessEqual, value: (a, b) => Number(a <= b) },
  greater: { apply: greater, value: (a, b) => Number(a > b) },
  greaterEqual: { apply: greaterEqual, value: (a, b) => Number(a >= b) },
};

/** Shapes with vectors and repeated numbers. */
const PAIR: readonly [Shape, Shape] = [[5, 1, 8], [3, 1]];
/** Shapes that read operands in other ways, for one op: kernels of ops differ only in their arithmetic. */
const PAIRS: readonly (readonly [Shape, Shape])[] = [
  PAIR,
  [[3, 7], [7]],
  [[], [2, 6]],
  [[2, 3, 5, 7], [3, 1, 1]],
  [[4, 1, 9], [1, 5, 1]],
  [[3, 4, 2, 8], [4, 1, 8]],
];

for (const [name, { apply, value, domain = [same, same] }] of Object.entries(BINARY)) {
  Deno.test(`${name} broadcasts, and its gradients match the reference`, async () => {
    for (const [a, b] of name === "mul" ? PAIRS : [PAIR]) {
      const shape = shapeOfBoth(a, b);
      await checkOp({
        name: `${name} of [${a}] and [${b}]`,
        inputs: {
          a: { shape: a, values: distinct(sizeOf(a), 3).map((x) => domain[0](8 * x + 1 / 128)) },
          b: { shape: b, values: distinct(sizeOf(b), 4).map((x) => domain[1](8 * x + 1 / 256)) },
        },
        build: ({ a, b }) => apply(a, b),
        reference: (values) => {
          const right = broadcast(values.b, b, shape);
          return broadcast(values.a, a, shape).map((x, i) => value(x, right[i]!));
        },
        gradients: !/equal|less|greater/i.test(name),
        tolerance: { f32: 1e-5, f16: 3e-3 },
        step: 1e-6,
      });
    }
  });
}

Deno.test("operands in row-major order and as images combine", async () => {
  const shape = [2, 3, 5, 4];
  for (const images of ["nhwc", "nchw"] as const) {
    const graph = new Graph("train", images);
    const a = graph.leaf("input", "a", activation(shape, "f32", images));
    const b = graph.leaf("input", "b", rowMajor(shape, "f32"));
    const values = new Map([["a", normals(120, 1)], ["b", normals(120, 2)]]);
    const want = values.get("a")!.map((x, i) => Math.fround(Math.fround(x) - Math.fround(values.get("b")![i]!)));
    assert.equal(sub(a, b).type.layout, images);
    await everyCandidate(async (options, where) => {
      for (const got of await evaluate([sub(a, b)], values, options)) assert.deepEqual([...got], [...want], where);
    });
  }
});

Deno.test("where chooses by a condition of any element type", async () => {
  for (const dtype of ["f32", "i32"] as const) {
    await checkOp({
      name: dtype,
      inputs: {
        condition: {
          shape: [3, 1, 6],
          values: Array.from({ length: 18 }, (_, i) => i % 3 - 1),
          dtype,
          gradient: false,
        },
        a: { shape: [3, 5, 6] },
        b: { shape: [5, 1] },
      },
      build: ({ condition, a, b }) => where(condition, a, b),
      reference: ({ condition, a, b }) => {
        const shape = [3, 5, 6];
        const [c, other] = [broadcast(condition, [3, 1, 6], shape), broadcast(b, [5, 1], shape)];
        return Float64Array.from(a, (x, i) => c[i] === 0 ? other[i]! : x);
      },
    });
  }
  await checkOp({
    name: "numbers",
    inputs: { x: { shape: [7] } },
    build: ({ x }) => where(greater(x, 0), x, -1),
    reference: ({ x }) => Float64Array.from(x, (x) => x > 0 ? x : -1),
  });
});

Deno.test("equal operands of extremes share the gradient", async () => {
  await checkOp({
    name: "maximum and minimum of a tensor and itself",
    inputs: { x: { shape: [5] } },
    build: ({ x }) => add(maximum(x, x), minimum(x, x)),
    reference: ({ x }) => Float64Array.from(x, (x) => 2 * x),
  });
});

Deno.test("operands that do not fit are refused with both shapes or types", () => {
  const graph = new Graph();
  const leaf = (name: string, shape: number[], dtype: "f32" | "f16" | "i32" = "f32") =>
    graph.leaf("input", name, rowMajor(shape, dtype));
  refuses(() => mul(leaf("a", [2, 3]), leaf("b", [2, 4])), /mul cannot broadcast \[2, 3\] and \[2, 4\].* got 3 and 4/);
  refuses(() => sub(leaf("a", [2, 3]), leaf("h", [3], "f16")), /same type, got f32 and f16; cast one of them/);
  refuses(() => exp(leaf("i", [3], "i32")), /exp expects its input to be f32 or f16, got i32\[3\]; cast it first/);
  refuses(() => add(1, 2), /at least one tensor, got only numbers/);
  refuses(() => mul(leaf("a", [2, 3]), NaN), /expected tensors or finite numbers, got NaN/);
  refuses(() => mul(leaf("a", [2, 3]), neg as unknown as Tensor), /got a function; apply the layer first/);
  refuses(() => clamp(leaf("a", [2, 3]), { low: 2, high: 1 }), /low <= high, got 2 and 1/);
});

Deno.test("arithmetic of i32 tensors is that of integers, and comparisons of them are f32", async () => {
  const graph = new Graph();
  const [a, b] = ["a", "b"].map((name) => graph.leaf("input", name, rowMajor([2, 3], "i32"))) as [Tensor, Tensor];
  const [x, y] = [[1, -5, 40_000, 7, 0, 3], [2, -5, -300, 7, 9, 1]];
  const cases: [Tensor, (x: number, y: number) => number][] = [
    [add(a, b), (x, y) => x + y],
    [sub(a, 3), (x) => x - 3],
    [mul(a, b), (x, y) => x * y],
    [neg(a), (x) => 0 - x],
    [abs(a), (x) => Math.abs(x)],
    [maximum(a, b), Math.max],
    [clamp(a, { low: -2, high: 5 }), (x) => Math.min(5, Math.max(-2, x))],
    [where(less(a, b), a, b), Math.min],
    [where(a, 0, b), (x, y) => x === 0 ? y : 0],
    [equal(a, b), (x, y) => x === y ? 1 : 0],
    [less(a, 4), (x) => x < 4 ? 1 : 0],
    [where(a, 0.5, 2), (x) => x === 0 ? 2 : 0.5],
  ];
  assert.deepEqual(cases.map(([{ dtype }]) => dtype), [...new Array(9).fill("i32"), "f32", "f32", "f32"]);
  const results = await evaluate(cases.map(([tensor]) => tensor), new Map([["a", x], ["b", y]]));
  cases.forEach(([{ node }, wanted], i) => {
    assert.deepEqual([...results[i]!], x.map((value, k) => wanted(value, y[k]!)), node.id);
  });
  assert.throws(() => exp(a), /exp expects its input to be f32 or f16/);
});
