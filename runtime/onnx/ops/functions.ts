/**
 * Functions of one element.
 *
 * @module
 */
import { add } from "../../../ops/add.ts";
import { abs, div, mul, neg, sign, sub } from "../../../ops/arithmetic.ts";
import { atan, cos, erf, sin } from "../../../ops/trigonometry.ts";
import { where } from "../../../ops/choice.ts";
import { greater, less } from "../../../ops/comparisons.ts";
import { exp, log, sqrt } from "../../../ops/exponential.ts";
import { ceil, floor, round } from "../../../ops/rounding.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Operator } from "../operator.ts";
import { exactUnary, unary } from "./elementwise.ts";

/** Rounds half to even, as the standard does. */
function rounded(x: number): number {
  const below = Math.floor(x);
  if (x - below !== 0.5) return Math.round(x);
  return below % 2 === 0 ? below : below + 1;
}

/** arcsin x = arctan(x / sqrt(1 - x^2)). */
const arcsine = (x: Tensor) => atan(div(x, sqrt(sub(1, mul(x, x)))));

/** Numbers around 0 where differences of exponentials and logarithms lose their last bits. */
const isSmall = (x: Tensor) => less(abs(x), 0.25);

/** Sum of the powers x, x^3, x^5, ... with coefficients. */
function oddPowers(x: Tensor, coefficients: readonly number[]): Tensor {
  const square = mul(x, x);
  const [last, ...others] = coefficients.toReversed();
  const sum = others.reduce<Tensor | number>((rest, c) => add(mul(square, rest), c), last!);
  return mul(x, sum);
}

/** The series of artanh x up to x^11. */
const smallArtanh = (x: Tensor) => oddPowers(x, [1, 1 / 3, 1 / 5, 1 / 7, 1 / 9, 1 / 11]);

/** sinh x, by its series up to x^7 where it is small. */
const sinh = (x: Tensor) =>
  where(isSmall(x), oddPowers(x, [1, 1 / 6, 1 / 120, 1 / 5040]), sub(halfExp(x), halfExp(neg(x))));

/** Half of e^x, in two factors, which do not overflow where the half is a number. */
function halfExp(x: Tensor): Tensor {
  const root = exp(mul(x, 0.5));
  return mul(mul(root, 0.5), root);
}

const artanh = (x: Tensor) => where(isSmall(x), smallArtanh(x), mul(log(div(add(1, x), sub(1, x))), 0.5));

/** arsinh x = artanh(x / sqrt(1 + x^2)); log 2 |x| where the square overflows. */
function arsinh(x: Tensor): Tensor {
  const size = abs(x);
  const root = sqrt(add(mul(x, x), 1));
  const far = where(greater(size, 1e9), add(log(size), Math.LN2), log(add(size, root)));
  return where(isSmall(x), smallArtanh(div(x, root)), mul(sign(x), far));
}

/** arcosh x = log(x + sqrt(x^2 - 1)), with a product of small factors near 1; log 2 x where the square overflows. */
function arcosh(x: Tensor): Tensor {
  const root = mul(sqrt(sub(x, 1)), sqrt(add(x, 1)));
  return where(greater(x, 1e9), add(log(x), Math.LN2), log(add(x, root)));
}

export const FUNCTIONS: readonly Operator[] = [
  exactUnary("Abs", abs, Math.abs),
  exactUnary("Neg", neg, (x) => -x),
  exactUnary("Sign", sign, Math.sign),
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
  unary("Sinh", sinh, Math.sinh),
  unary("Cosh", (x) => add(halfExp(x), halfExp(neg(x))), Math.cosh),
  unary("Asinh", arsinh, Math.asinh),
  unary("Acosh", arcosh, Math.acosh),
  unary("Atanh", artanh, Math.atanh),
  { type: "Erf", build: (node) => erf(node.floats(0)) },
];
