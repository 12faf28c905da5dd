import { z } from "zod";
import { record } from "../../data/kinds.ts";
import { decayRate, decoupledDecay, learningRate, type OptimizerDef, separateDecay } from "./optimizer_def.ts";
import type { LionOptions, LionSpec } from "./types.ts";

const schema = z.strictObject({
  kind: z.literal("lion"),
  learningRate: learningRate.default(1e-4),
  beta1: decayRate.default(0.9).describe("weight of the momentum in the direction of a step"),
  beta2: decayRate.default(0.99).describe("decay of the momentum"),
  weightDecay: decoupledDecay.default(0),
});

/**
 * Creates Lion (X. Chen et al., "Symbolic discovery of optimization algorithms", 2023, algorithm 2):
 * p = p - learningRate (sign(beta1 m + (1 - beta1) g) + weightDecay p), then m = beta2 m + (1 - beta2) g.
 */
export function lion(options: LionOptions = {}): LionSpec {
  return record(schema, options);
}

export const lionOptimizer: OptimizerDef<typeof schema> = {
  schema,
  update: ({ learningRate, beta1, beta2, weightDecay }) => ({
    name: "lion",
    states: 1,
    uniforms: {
      rate: { f32: learningRate },
      decay: { f32: 1 - learningRate * weightDecay },
      beta1: { f32: beta1 },
      beta2: { f32: beta2 },
      rest1: { f32: 1 - beta1 },
      rest2: { f32: 1 - beta2 },
    },
    body: `
  let m = load_state0(i);
  p = p * u.decay - u.rate * sign(u.beta1 * m + u.rest1 * gradient);
  store_state0(i, u.beta2 * m + u.rest2 * gradient);`,
    // Weight decay (1), direction (4), step (2), momentum (3)
    flops: 10,
    ...separateDecay(learningRate, weightDecay),
  }),
  ofParameter({ learningRate, beta1, beta2, weightDecay }, p, g, state) {
    const m = state[0]!;
    state[0] = beta2 * m + (1 - beta2) * g;
    return p * (1 - learningRate * weightDecay) - learningRate * Math.sign(beta1 * m + (1 - beta1) * g);
  },
};
