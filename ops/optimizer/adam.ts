import type { FloatType } from "../../runtime/core/dtype.ts";
import type { KernelSpec } from "../../runtime/device/kernel.ts";
import { updateKernel } from "./update_kernel.ts";
import { StepWord } from "./step_state.ts";

export interface AdamConstants {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  /** Weight decay apart from the gradient (AdamW) or as part of it (Adam). */
  readonly decoupled: boolean;
}

/** State tensors as large as the parameters: first and second moment. */
export const ADAM_STATES = 2;

/**
 * Adam (Kingma and Ba, 2015) and AdamW (Loshchilov and Hutter, 2019) as in `torch.optim`: m = beta1 m + (1 - beta1) g,
 * v = beta2 v + (1 - beta2) g^2, p = p - learningRate (m / c1) / (sqrt(v / c2) + epsilon), with the corrections
 * c = 1 - beta^t from the step state.
 */
export function adamKernel(constants: AdamConstants, dtype: FloatType, vectors: number, max: number): KernelSpec {
  const { learningRate, beta1, beta2, epsilon, weightDecay, decoupled } = constants;
  return updateKernel({
    name: `update.${decoupled ? "adamw" : "adam"}.${dtype}`,
    dtype,
    vectors,
    maxPerDimension: max,
    states: ADAM_STATES,
    uniforms: {
      rate: { f32: learningRate },
      decay: { f32: decoupled ? 1 - learningRate * weightDecay : weightDecay },
      beta1: { f32: beta1 },
      beta2: { f32: beta2 },
      rest1: { f32: 1 - beta1 },
      rest2: { f32: 1 - beta2 },
      epsilon: { f32: epsilon },
    },
    body: `
  let c1 = bitcast<f32>(S[${StepWord.correction1}]);
  let c2 = bitcast<f32>(S[${StepWord.correction2}]);
  ${decoupled ? "p *= u.decay; let g = gradient;" : "let g = gradient + u.decay * p;"}
  let m = u.beta1 * load_state0(i) + u.rest1 * g;
  let v = u.beta2 * load_state1(i) + u.rest2 * g * g;
  store_state0(i, m);
  store_state1(i, v);
  p -= (u.rate / c1) * m / (sqrt(v) / sqrt(c2) + u.epsilon);`,
  });
}
