import { add } from "../../ops/add.ts";
import { abs, div, mul } from "../../ops/arithmetic.ts";
import { clamp, where } from "../../ops/choice.ts";
import { greater } from "../../ops/comparisons.ts";
import { elu, leakyRelu, softplus } from "../../ops/rectifiers.ts";
import { relu } from "../../ops/relu.ts";
import { sigmoid } from "../../ops/sigmoid.ts";
import { tanh } from "../../ops/tanh.ts";
import { InputError } from "../core/errors.ts";
import { tableEntry } from "../core/table_entry.ts";
import type { Tensor } from "../graph/op.ts";

export type Unary = (x: Tensor) => Tensor;

/**
 * Activations of recurrent networks and of fused operators, by name in lower case. Parameters after the tensor are the
 * activation's numbers alpha and beta.
 */
const ACTIVATIONS: Readonly<Record<string, (x: Tensor, alpha?: number, beta?: number) => Tensor>> = {
  relu: (x) => relu(x),
  tanh: (x) => tanh(x),
  sigmoid: (x) => sigmoid(x),
  affine: (x, alpha = 1, beta = 0) => add(mul(x, alpha), beta),
  leakyrelu: (x, alpha = 0.01) => leakyRelu(x, { negativeSlope: alpha }),
  scaledtanh: (x, alpha = 1, beta = 1) => mul(tanh(mul(x, beta)), alpha),
  hardsigmoid: (x, alpha = 0.2, beta = 0.5) => clamp(add(mul(x, alpha), beta), { low: 0, high: 1 }),
  elu: (x, alpha = 1) => elu(x, { alpha }),
  softsign: (x) => div(x, add(abs(x), 1)),
  softplus: (x) => softplus(x, { beta: 1, threshold: 20 }),
  thresholdedrelu: (x, alpha = 1) => where(greater(x, alpha), x, 0),
};

/** Numbers that an activation takes, of alpha and beta. */
const NUMBERS: Readonly<Record<string, number>> = {
  affine: 2,
  elu: 1,
  hardsigmoid: 2,
  leakyrelu: 1,
  scaledtanh: 2,
  thresholdedrelu: 1,
};

/**
 * Returns an activation, which takes its numbers from those that are left: alpha, and beta.
 *
 * @param betas numbers from which it takes beta, if they are apart
 * @throws {InputError} if there is no such activation
 */
export function activationOf(name: string, alphas: Iterator<number>, betas = alphas): Unary {
  const apply = tableEntry(ACTIVATIONS, name.toLowerCase());
  if (apply === undefined) {
    throw new InputError(`the activation "${name}" is not supported; expected ${Object.keys(ACTIVATIONS).join(", ")}`);
  }
  const count = NUMBERS[name.toLowerCase()] ?? 0;
  const take = (numbers: Iterator<number>): number | undefined => {
    const { done, value } = numbers.next();
    return done === true ? undefined : value;
  };
  const [alpha, beta] = [count > 0 ? take(alphas) : undefined, count > 1 ? take(betas) : undefined];
  return (x) => apply(x, alpha, beta);
}
