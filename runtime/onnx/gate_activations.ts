import { add } from "../../ops/add.ts";
import { abs, div, mul } from "../../ops/arithmetic.ts";
import { clamp } from "../../ops/choice.ts";
import { elu, leakyRelu, softplus } from "../../ops/rectifiers.ts";
import { relu } from "../../ops/relu.ts";
import { sigmoid } from "../../ops/sigmoid.ts";
import { tanh } from "../../ops/tanh.ts";
import { InputError } from "../core/errors.ts";
import { tableEntry } from "../core/table_entry.ts";
import type { Tensor } from "../graph/op.ts";
import type { Application } from "./application.ts";

export type Unary = (x: Tensor) => Tensor;

/** Activations of recurrent networks with their numbers alpha and beta, by name in lower case. */
const ACTIVATIONS: Readonly<
  Record<string, (x: Tensor, alpha: number | undefined, beta: number | undefined) => Tensor>
> = {
  relu,
  tanh,
  sigmoid,
  affine: (x, alpha = 1, beta = 0) => add(mul(x, alpha), beta),
  leakyrelu: (x, alpha = 0.01) => leakyRelu(x, { negativeSlope: alpha }),
  scaledtanh: (x, alpha = 1, beta = 1) => mul(tanh(mul(x, beta)), alpha),
  hardsigmoid: (x, alpha = 0.2, beta = 0.5) => clamp(add(mul(x, alpha), beta), { low: 0, high: 1 }),
  elu: (x, alpha = 1) => elu(x, { alpha }),
  softsign: (x) => div(x, add(abs(x), 1)),
  softplus: (x) => softplus(x, { beta: 1, threshold: 20 }),
};

/**
 * Returns an activation of a recurrent network.
 *
 * @param i place of its numbers in `activation_alpha` and `activation_beta`
 * @throws {InputError} if there is no such activation
 */
export function activationOf(node: Application, name: string, i: number): Unary {
  const apply = tableEntry(ACTIVATIONS, name.toLowerCase());
  if (apply === undefined) {
    throw new InputError(`the activation "${name}" is not supported; expected ${Object.keys(ACTIVATIONS).join(", ")}`);
  }
  const [alpha, beta] = ["activation_alpha", "activation_beta"].map((key) => node.attributes.floats(key)?.[i]);
  return (x) => apply(x, alpha, beta);
}
