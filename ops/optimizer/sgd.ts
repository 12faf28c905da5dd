import type { FloatType } from "../../runtime/core/dtype.ts";
import type { KernelSpec } from "../../runtime/device/kernel.ts";
import { updateKernel } from "./update_kernel.ts";
import { StepWord } from "./step_state.ts";

export interface SgdConstants {
  readonly learningRate: number;
  readonly momentum: number;
  readonly dampening: number;
  readonly nesterov: boolean;
  readonly weightDecay: number;
}

/** State tensors as large as the parameters: the velocity, when there is momentum. */
export function sgdStates(constants: SgdConstants): number {
  return constants.momentum === 0 ? 0 : 1;
}

/**
 * Stochastic gradient descent as PyTorch's `torch.optim.SGD`: with g = gradient + weightDecay p, the velocity is
 * v = g at the first update and momentum v + (1 - dampening) g after it, the direction d = g + momentum v (Nesterov) or
 * v, and p = p - learningRate d.
 */
export function sgdKernel(constants: SgdConstants, dtype: FloatType, vectors: number, max: number): KernelSpec {
  const { learningRate, momentum, dampening, nesterov, weightDecay } = constants;
  const velocity = momentum === 0 ? "let d = g;" : `
  let before = load_state0(i);
  let v = select(u.momentum * before + u.take * g, g, S[${StepWord.updates}] <= 1u);
  store_state0(i, v);
  let d = ${nesterov ? "g + u.momentum * v" : "v"};`;
  return updateKernel({
    name: `update.sgd${momentum === 0 ? "" : nesterov ? ".nesterov" : ".momentum"}.${dtype}`,
    dtype,
    vectors,
    maxPerDimension: max,
    states: sgdStates(constants),
    uniforms: {
      rate: { f32: learningRate },
      decay: { f32: weightDecay },
      momentum: { f32: momentum },
      take: { f32: 1 - dampening },
    },
    body: `
  let g = gradient + u.decay * p;
  ${velocity}
  p -= u.rate * d;`,
  });
}
