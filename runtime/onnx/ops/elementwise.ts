/**
 * Operators that work on each element.
 *
 * @module
 */
import { add } from "../../../ops/add.ts";
import { abs, div, mul, neg, sign, sub } from "../../../ops/arithmetic.ts";
import { equal, greater, greaterEqual, less, lessEqual } from "../../../ops/comparisons.ts";
import type { Operand } from "../../../ops/elementwise_op.ts";
import { exp, log, sqrt } from "../../../ops/exponential.ts";
import { pow } from "../../../ops/pow.ts";
import { relu } from "../../../ops/relu.ts";
import { sigmoid } from "../../../ops/sigmoid.ts";
import { tanh } from "../../../ops/tanh.ts";
import { cos, erf, sin } from "../../../ops/trigonometry.ts";
import { reshape } from "../../../ops/reshape.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Application } from "../application.ts";
import { mapElements } from "../host/elements.ts";
import type { Operator } from "../operator.ts";

/** An operator of one tensor, and its value for a constant. */
function unary(type: string, apply: (x: Tensor) => Tensor, value: (x: number) => number): Operator {
  return {
    type,
    build: (node) => apply(node.tensor(0)),
    fold(node) {
      const x = node.constant(0, "the operand")!;
      return mapElements(type, [x], x.kind, value);
    },
  };
}

/** An operator of two operands, and its value for constants. */
function binary(
  type: string,
  apply: (a: Operand, b: Operand) => Tensor,
  value: (a: number, b: number) => number,
  result: "same" | "boolean" = "same",
): Operator {
  return {
    type,
    build(node) {
      const [a, b] = [node.operand(0), aligned(node)];
      return typeof a === "number" && typeof b === "number" ? apply(node.tensor(0), b) : apply(a, b);
    },
    fold(node) {
      const [a, b] = [node.constant(0, "the first operand")!, node.constant(1, "the second operand")!];
      const integers = a.kind === "integer" && type === "Div";
      return mapElements(
        type,
        [a, b],
        result === "same" ? a.kind : result,
        integers ? (x, y) => Math.trunc(value(x, y)) : value,
      );
    },
  };
}

/** Returns the second operand. Before version 7, its dimensions are those of the first from `axis` on. */
function aligned(node: Application): Operand {
  const { attributes } = node;
  const axis = attributes.integer("axis", -1);
  attributes.ignore("broadcast");
  const b = node.operand(1);
  if (node.opset >= 7 || axis < 0 || typeof b === "number") return b;
  const after = node.shape(0).length - axis - b.shape.length;
  return reshape(b, [...b.shape, ...new Array<number>(Math.max(0, after)).fill(1)]);
}

export const ELEMENTWISE: readonly Operator[] = [
  binary("Add", add, (a, b) => a + b),
  binary("Sub", sub, (a, b) => a - b),
  binary("Mul", mul, (a, b) => a * b),
  binary("Div", div, (a, b) => a / b),
  binary("Pow", pow, (a, b) => a ** b),
  binary("Equal", equal, (a, b) => a === b ? 1 : 0, "boolean"),
  binary("Less", less, (a, b) => a < b ? 1 : 0, "boolean"),
  binary("LessOrEqual", lessEqual, (a, b) => a <= b ? 1 : 0, "boolean"),
  binary("Greater", greater, (a, b) => a > b ? 1 : 0, "boolean"),
  binary("GreaterOrEqual", greaterEqual, (a, b) => a >= b ? 1 : 0, "boolean"),
  unary("Abs", abs, Math.abs),
  unary("Neg", neg, (x) => -x),
  unary("Sign", sign, Math.sign),
  unary("Exp", exp, Math.exp),
  unary("Log", log, Math.log),
  unary("Sqrt", sqrt, Math.sqrt),
  unary("Sin", sin, Math.sin),
  unary("Cos", cos, Math.cos),
  { type: "Erf", build: (node) => erf(node.tensor(0)) },
  { type: "Relu", build: (node) => relu(node.tensor(0)) },
  { type: "Sigmoid", build: (node) => sigmoid(node.tensor(0)) },
  { type: "Tanh", build: (node) => tanh(node.tensor(0)) },
];
