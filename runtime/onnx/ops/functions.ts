/**
 * Functions of one element.
 *
 * @module
 */
import { add } from "../../../ops/add.ts";
import { abs, div, mul, neg, sign, sub } from "../../../ops/arithmetic.ts";
import { atan } from "../../../ops/arctangent.ts";
import { exp, log, sqrt } from "../../../ops/exponential.ts";
import { ceil, floor, round } from "../../../ops/rounding.ts";
import { cos, erf, sin } from "../../../ops/trigonometry.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Operator } from "../operator.ts";
import { unary } from "./elementwise.ts";

/** Rounds half to even, as the standard does. */
function rounded(x: number): number {
  const below = Math.floor(x);
  if (x - below !== 0.5) return Math.round(x);
  return below % 2 === 0 ? below : below + 1;
}

/** arcsin x = arctan(x / sqrt(1 - x^2)). */
const arcsine = (x: Tensor) => atan(div(x, sqrt(sub(1, mul(x, x)))));

export const FUNCTIONS: readonly Operator[] = [
  unary("Abs", abs, Math.abs),
  unary("Neg", neg, (x) => -x),
  unary("Sign", sign, Math.sign),
  unary("Floor", floor, Math.floor),
  unary("Ceil", ceil, Math.ceil),
  unary("Round", round, rounded),
  unary("Reciprocal", (x) => div(1, x), (x) => 1 / x),
  unary("Exp", exp, Math.exp),
  unary("Log", log, Math.log),
  unary("Sqrt", sqrt, Math.sqrt),
  unary("Sin", sin, Math.sin),
  unary("Cos", cos, Math.cos),
  unary("Tan", (x) => div(sin(x), cos(x)), Math.tan),
  unary("Asin", arcsine, Math.asin),
  unary("Acos", (x) => sub(Math.PI / 2, arcsine(x)), Math.acos),
  unary("Atan", atan, Math.atan),
  unary("Sinh", (x) => mul(sub(exp(x), exp(neg(x))), 0.5), Math.sinh),
  unary("Cosh", (x) => mul(add(exp(x), exp(neg(x))), 0.5), Math.cosh),
  unary("Asinh", (x) => mul(sign(x), log(add(abs(x), sqrt(add(mul(x, x), 1))))), Math.asinh),
  unary("Acosh", (x) => log(add(x, sqrt(sub(mul(x, x), 1)))), Math.acosh),
  unary("Atanh", (x) => mul(log(div(add(1, x), sub(1, x))), 0.5), Math.atanh),
  { type: "Erf", build: (node) => erf(node.floats(0)) },
];
