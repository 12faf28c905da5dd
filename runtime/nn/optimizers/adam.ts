import { z } from "zod";
import { correction } from "../../../ops/optimizer/step_state.ts";
import type { UpdateForm } from "../../../ops/optimizer/update_kernel.ts";
import { record } from "../../data/kinds.ts";
import {
  addedDecay,
  decayRate,
  decoupledDecay,
  epsilon,
  learningRate,
  type OptimizerDef,
  separateDecay,
  weightDecay,
} from "./optimizer_def.ts";
import type { AdamOptions, AdamSpec, AdamWOptions, AdamWSpec } from "./types.ts";

const fields = {
  learningRate: learningRate.default(1e-3),
  beta1: decayRate.default(0.9).describe("decay of the mean of the gradients"),
  beta2: decayRate.default(0.999).describe("decay of the mean of their squares"),
  epsilon,
};
const adamSchema = z.strictObject({ kind: z.literal("adam"), ...fields, weightDecay });
const adamWSchema = z.strictObject({
  kind: z.literal("adamW"),
  ...fields,
  weightDecay: decoupledDecay.default(0.01),
});

/** Creates Adam (D. Kingma and J. Ba, 2015) with the semantics of `torch.optim.Adam`. */
export function adam(options: AdamOptions = {}): AdamSpec {
  return record(adamSchema, options);
}

/** Creates AdamW, Adam with decoupled weight decay (I. Loshchilov and F. Hutter, 2019), with the semantics of `torch.optim.AdamW`. */
export function adamW(options: AdamWOptions = {}): AdamWSpec {
  return record(adamWSchema, options);
}

type Settings = Omit<AdamSpec, "kind">;

/**
 * Returns the update of Adam or AdamW: m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2,
 * p = p - learningRate (m / c1) / (sqrt(v / c2) + epsilon), with the bias corrections c = 1 - beta^t.
 */
function form(settings: Settings, decoupled: boolean): UpdateForm {
  const { learningRate, beta1, beta2, epsilon, weightDecay } = settings;
  return {
    name: decoupled ? "adamw" : "adam",
    states: 2,
    corrections: [beta1, beta2],
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
  let c1 = ${correction(0)};
  let c2 = ${correction(1)};
  ${decoupled ? "p *= u.decay; let g = gradient;" : "let g = gradient + u.decay * p;"}
  let m = u.beta1 * load_state0(i) + u.rest1 * g;
  let v = u.beta2 * load_state1(i) + u.rest2 * g * g;
  store_state0(i, m);
  store_state1(i, v);
  p -= (u.rate / c1) * m / (sqrt(v) / sqrt(c2) + u.epsilon);`,
    // Weight decay (2, decoupled 1), moments (3 and 4), step (6)
    flops: decoupled ? 14 : 15,
    ...decoupled ? separateDecay(learningRate, weightDecay) : addedDecay(weightDecay),
  };
}

function ofParameter(
  { learningRate, beta1, beta2, epsilon, weightDecay }: Settings,
  decoupled: boolean,
  p: number,
  gradient: number,
  state: Float64Array,
  t: number,
): number {
  const g = decoupled ? gradient : gradient + weightDecay * p;
  const decayed = decoupled ? p * (1 - learningRate * weightDecay) : p;
  const m = state[0] = beta1 * state[0]! + (1 - beta1) * g;
  const v = state[1] = beta2 * state[1]! + (1 - beta2) * g * g;
  return decayed - learningRate * (m / (1 - beta1 ** t)) / (Math.sqrt(v / (1 - beta2 ** t)) + epsilon);
}

export const adamOptimizer: OptimizerDef<typeof adamSchema> = {
  schema: adamSchema,
  update: (spec) => form(spec, false),
  ofParameter: (spec, ...at) => ofParameter(spec, false, ...at),
};

export const adamWOptimizer: OptimizerDef<typeof adamWSchema> = {
  schema: adamWSchema,
  update: (spec) => form(spec, true),
  ofParameter: (spec, ...at) => ofParameter(spec, true, ...at),
};
