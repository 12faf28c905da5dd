/**
 * Arithmetic of elements.
 *
 * @module
 */
import { add } from "../../../ops/add.ts";
import { abs, div, mul, sign, sub } from "../../../ops/arithmetic.ts";
import { maximum, minimum } from "../../../ops/choice.ts";
import type { Operand } from "../../../ops/elementwise_op.ts";
import { pow } from "../../../ops/pow.ts";
import { floor } from "../../../ops/rounding.ts";
import { applyIntegers, type IntegerForm } from "../../../ops/integer_elementwise.ts";
import { cast } from "../../../ops/cast.ts";
import { InputError } from "../../core/errors.ts";
import type { Tensor } from "../../graph/op.ts";
import { mapElements } from "../host.ts";
import type { Operator } from "../operator.ts";
import { binary, ofRank } from "./elementwise.ts";

const whole = (name: string, value: string, prelude = ""): IntegerForm => ({
  name,
  operands: ["a", "b"],
  value,
  dtype: "i32",
  prelude,
});

/** Functions of integers: quotients and remainders that are rounded towards zero, or down; powers. */
const QUOTIENT = whole("quotient", "a / b");
const REMAINDER = whole("remainder", "a % b");
const MODULO = whole(
  "modulo",
  "modulo(a, b)",
  `fn modulo(a: vec4<i32>, b: vec4<i32>) -> vec4<i32> {
  let rest = a % b;
  return select(rest, rest + b, (rest != vec4<i32>()) & ((rest < vec4<i32>()) != (b < vec4<i32>())));
}`,
);
const POWER = whole(
  "power",
  "powerOf(a, b)",
  `fn powerOf(a: vec4<i32>, b: vec4<i32>) -> vec4<i32> {
  var power = vec4<i32>(1);
  var square = a;
  for (var bit = 0u; bit < 31u; bit++) {
    power = select(power, power * square, ((b >> vec4<u32>(bit)) & vec4<i32>(1)) == vec4<i32>(1));
    square = square * square;
  }
  // 1 / a^-b is 0 but for 1 and -1
  let odd = (b & vec4<i32>(1)) == vec4<i32>(1);
  let small = select(select(vec4<i32>(0), select(vec4<i32>(1), vec4<i32>(-1), odd), a == vec4<i32>(-1)),
    vec4<i32>(1), a == vec4<i32>(1));
  return select(power, small, b < vec4<i32>(0));
}`,
);

const isInteger = (operand: Operand) =>
  typeof operand === "number" ? Number.isInteger(operand) : operand.dtype === "i32";

/** Returns a quotient; that of integers is rounded towards zero. */
export function quotient(a: Operand, b: Operand): Tensor {
  const isWhole = [a, b].some((operand) => typeof operand !== "number" && operand.dtype === "i32");
  return isWhole ? applyIntegers(QUOTIENT, [a, b]) : div(a, b);
}

/** Adds a power; that of an integer is one, rounded towards zero. */
function power(a: Operand, b: Operand): Tensor {
  const isWhole = typeof a !== "number" && a.dtype === "i32";
  if (isWhole && isInteger(b)) return applyIntegers(POWER, [a, b]);
  const floatOf = (operand: Operand) =>
    typeof operand === "number" || operand.dtype !== "i32" ? operand : cast(operand, "f32");
  const y = pow(floatOf(a), floatOf(b));
  return isWhole ? cast(y, "i32") : y;
}

/** The remainder with the sign of the divisor, or with `fmod` that of the dividend. */
const mod: Operator = {
  type: "Mod",
  build(node) {
    const isFmod = node.attributes.integer("fmod", 0) !== 0;
    const [a, b] = [node.tensor(0), node.tensor(1)];
    if (a.dtype === "i32") return applyIntegers(isFmod ? REMAINDER : MODULO, [a, b]);
    const ratio = div(a, b);
    return sub(a, mul(b, isFmod ? mul(sign(ratio), floor(abs(ratio))) : floor(ratio)));
  },
  fold(node) {
    const isFmod = node.attributes.integer("fmod", 0) !== 0;
    const [a, b] = [node.constant(0, "the dividend")!, node.constant(1, "the divisor")!];
    return mapElements("Mod", [a, b], a.kind, (x, y) => isFmod ? x % y : x - y * Math.floor(x / y));
  },
};

/** An operator of any number of operands, applied one after another. */
function several(
  type: string,
  apply: (a: Operand, b: Operand) => Tensor,
  value: (...values: number[]) => number,
  finish: (sum: Tensor, count: number) => Tensor = (sum) => sum,
): Operator {
  return {
    type,
    build(node) {
      if (node.inputs.length === 0) throw new InputError("expected at least one operand");
      const rank = Math.max(...node.inputs.map((_, i) => node.shape(i).length));
      let result = node.tensor(0);
      for (let i = 1; i < node.inputs.length; i++) result = apply(result, node.operand(i));
      return ofRank(finish(result, node.inputs.length), rank);
    },
    fold(node) {
      const constants = node.inputs.map((_, i) => node.constant(i, "an operand")!);
      return mapElements(type, constants, constants[0]!.kind, value);
    },
  };
}

const sumOf = (...values: number[]) => values.reduce((sum, value) => sum + value, 0);

export const ARITHMETIC: readonly Operator[] = [
  binary("Add", add, (a, b) => a + b),
  binary("Sub", sub, (a, b) => a - b),
  binary("Mul", mul, (a, b) => a * b),
  binary("Div", quotient, (a, b) => a / b, { integers: (a, b) => Math.trunc(a / b) }),
  binary("Pow", power, (a, b) => a ** b, { integers: (a, b) => Math.trunc(a ** b), typed: true }),
  mod,
  several("Max", maximum, Math.max),
  several("Min", minimum, Math.min),
  several("Sum", add, sumOf),
  several("Mean", add, (...values) => sumOf(...values) / values.length, (sum, count) => mul(sum, 1 / count)),
];
