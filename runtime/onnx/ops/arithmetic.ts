/**
 * Arithmetic of elements.
 *
 * @module
 */
import { add } from "../../../ops/add.ts";
import { div, mul, sub } from "../../../ops/arithmetic.ts";
import { maximum, minimum } from "../../../ops/choice.ts";
import type { Operand } from "../../../ops/elementwise_op.ts";
import { pow } from "../../../ops/pow.ts";
import { floor } from "../../../ops/rounding.ts";
import { cast } from "../../../ops/cast.ts";
import { InputError } from "../../core/errors.ts";
import type { Tensor } from "../../graph/op.ts";
import { mapElements } from "../host/elements.ts";
import type { Operator } from "../operator.ts";
import { binary, ofRank } from "./elementwise.ts";

/** The remainder with the sign of the divisor, or with `fmod` that of the dividend. */
const mod: Operator = {
  type: "Mod",
  build(node) {
    const isFmod = node.attributes.integer("fmod", 0) !== 0;
    const isInteger = node.tensor(0).dtype === "i32";
    const [a, b] = [node.floats(0), node.floats(1)];
    const quotient = div(a, b);
    const whole = isFmod ? cast(cast(quotient, "i32"), "f32") : floor(quotient);
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
  binary("Div", div, (a, b) => a / b, { integers: (a, b) => Math.trunc(a / b) }),
  binary("Pow", pow, (a, b) => a ** b),
  mod,
  several("Max", maximum, Math.max),
  several("Min", minimum, Math.min),
  several("Sum", add, sumOf),
  several("Mean", add, (...values) => sumOf(...values) / values.length, (sum, count) => mul(sum, 1 / count)),
];
