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
import { floor, round } from "../../../ops/rounding.ts";
import { cast } from "../../../ops/cast.ts";
import { InputError } from "../../core/errors.ts";
import type { Tensor } from "../../graph/op.ts";
import { mapElements } from "../host/elements.ts";
import type { Operator } from "../operator.ts";
import { binary, ofRank } from "./elementwise.ts";

/**
 * Returns the quotient of whole numbers, rounded towards zero. Half of one more in the dividend keeps the quotient, which an
 * adapter may round down, from falling below a whole number; exact for dividends up to 2^20.
 */
function wholeQuotient(a: Tensor, b: Tensor): Tensor {
  return mul(mul(sign(a), sign(b)), floor(div(add(abs(a), 0.5), abs(b))));
}

/** Returns the quotient of whole numbers, rounded down; otherwise like {@linkcode wholeQuotient}. */
function floorQuotient(a: Tensor, b: Tensor): Tensor {
  return floor(div(add(mul(a, sign(b)), 0.5), abs(b)));
}

/** Adds a quotient; that of integers is rounded towards zero. */
function quotient(a: Operand, b: Operand): Tensor {
  const isInteger = [a, b].some((operand) => typeof operand !== "number" && operand.dtype === "i32");
  if (!isInteger) return div(a, b);
  const graph = typeof a === "number" ? b as Tensor : a;
  const floatOf = (operand: Operand) =>
    typeof operand === "number" ? add(mul(cast(graph, "f32"), 0), operand) : cast(operand, "f32");
  return cast(wholeQuotient(floatOf(a), floatOf(b)), "i32");
}

/** Adds a power; that of integers is rounded towards zero. */
function power(a: Operand, b: Operand): Tensor {
  const isInteger = typeof a !== "number" && a.dtype === "i32";
  const floatOf = (operand: Operand) =>
    typeof operand === "number" || operand.dtype !== "i32" ? operand : cast(operand, "f32");
  const y = pow(floatOf(a), floatOf(b));
  return isInteger ? cast(round(y), "i32") : y;
}

/** The remainder with the sign of the divisor, or with `fmod` that of the dividend. */
const mod: Operator = {
  type: "Mod",
  build(node) {
    const isFmod = node.attributes.integer("fmod", 0) !== 0;
    const isInteger = node.tensor(0).dtype === "i32";
    const [a, b] = [node.floats(0), node.floats(1)];
    const ratio = div(a, b);
    const floating = () => isFmod ? mul(sign(ratio), floor(abs(ratio))) : floor(ratio);
    const whole = !isInteger ? floating() : isFmod ? wholeQuotient(a, b) : floorQuotient(a, b);
    const rest = sub(a, mul(b, whole));
    return isInteger ? cast(rest, "i32") : rest;
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
  binary("Pow", power, (a, b) => a ** b),
  mod,
  several("Max", maximum, Math.max),
  several("Min", minimum, Math.min),
  several("Sum", add, sumOf),
  several("Mean", add, (...values) => sumOf(...values) / values.length, (sum, count) => mul(sum, 1 / count)),
];
