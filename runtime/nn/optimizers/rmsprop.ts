import { z } from "zod";
import { record } from "../../data/kinds.ts";
import { addedDecay, decayRate, epsilon, learningRate, type OptimizerDef, weightDecay } from "./optimizer_def.ts";
import type { RmspropOptions, RmspropSpec } from "./types.ts";

const schema = z.strictObject({
  kind: z.literal("rmsprop"),
  learningRate: learningRate.default(0.01),
  alpha: decayRate.default(0.99).describe("decay of the mean of the squared gradients"),
  epsilon,
  momentum: decayRate.default(0).describe("fraction of the previous step that is kept"),
  centered: z.boolean({ error: "expected true or false" }).default(false)
    .describe("divide by the deviation of the gradients instead of the root of their mean square"),
  weightDecay,
});

/**
 * Creates RMSprop (T. Hinton, "Neural networks for machine learning", lecture 6e, 2012; centred: A. Graves, 2013) with the semantics of PyTorch's
 * `torch.optim.RMSprop`: with g = gradient + weightDecay p, v = alpha v + (1 - alpha) g^2; where centred,
 * m = alpha m + (1 - alpha) g and s = sqrt(v - m^2), otherwise s = sqrt(v). The step is d = g / (s + epsilon), with
 * momentum b = momentum b + d in its place, and p = p - learningRate d.
 */
export function rmsprop(options: RmspropOptions = {}): RmspropSpec {
  return record(schema, options);
}

export const rmspropOptimizer: OptimizerDef<typeof schema> = {
  schema,
  update({ learningRate, alpha, epsilon, momentum, centered, weightDecay }) {
    const last = centered ? 2 : 1;
    // Rounding can leave v - m^2 below 0 where gradients hardly change
    const deviation = centered
      ? `
  let m = u.alpha * load_state1(i) + u.rest * g;
  store_state1(i, m);
  let s = sqrt(max(v - m * m, vec4<f32>(0.0)));`
      : `
  let s = sqrt(v);`;
    const kept = momentum === 0 ? "" : `
  d += u.momentum * load_state${last}(i);
  store_state${last}(i, d);`;
    return {
      name: `rmsprop${centered ? ".centered" : ""}${momentum === 0 ? "" : ".momentum"}`,
      states: last + (momentum === 0 ? 0 : 1),
      uniforms: {
        rate: { f32: learningRate },
        decay: { f32: weightDecay },
        alpha: { f32: alpha },
        rest: { f32: 1 - alpha },
        epsilon: { f32: epsilon },
        momentum: { f32: momentum },
      },
      body: `
  let g = gradient + u.decay * p;
  let v = u.alpha * load_state0(i) + u.rest * g * g;
  store_state0(i, v);${deviation}
  var d = g / (s + u.epsilon);${kept}
  p -= u.rate * d;`,
      // Weight decay (2), mean square (4), root and division (3), step (2); deviation (6), momentum (2)
      flops: 11 + (centered ? 6 : 0) + (momentum === 0 ? 0 : 2),
      ...addedDecay(weightDecay),
    };
  },
  ofParameter({ learningRate, alpha, epsilon, momentum, centered, weightDecay }, p, gradient, state) {
    const g = gradient + weightDecay * p;
    const v = state[0] = alpha * state[0]! + (1 - alpha) * g * g;
    const m = centered ? state[1] = alpha * state[1]! + (1 - alpha) * g : 0;
    let d = g / (Math.sqrt(Math.max(v - m * m, 0)) + epsilon);
    if (momentum > 0) {
      const last = centered ? 2 : 1;
      d = state[last] = momentum * state[last]! + d;
    }
    return p - learningRate * d;
  },
  solver: () => "RMSprop",
};
