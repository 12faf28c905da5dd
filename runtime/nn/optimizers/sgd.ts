import { z } from "zod";
import { StepWord } from "../../../ops/optimizer/step_state.ts";
import { record } from "../../data/kinds.ts";
import { addedDecay, decayRate, learningRate, type OptimizerDef, share, weightDecay } from "./optimizer_def.ts";
import type { SgdOptions, SgdSpec } from "./types.ts";

const schema = z.strictObject({
  kind: z.literal("sgd"),
  learningRate,
  momentum: decayRate.default(0).describe("fraction of the previous step that is kept"),
  dampening: share.default(0).describe("fraction of the gradient left out of the momentum"),
  nesterov: z.boolean({ error: "expected true or false" }).default(false)
    .describe("look ahead along the momentum; requires momentum and no dampening"),
  weightDecay,
}).refine((spec) => !spec.nesterov || (spec.momentum > 0 && spec.dampening === 0), {
  path: ["nesterov"],
  error: "expected false, or a momentum above 0 and no dampening",
});

/**
 * Creates stochastic gradient descent with the semantics of `torch.optim.SGD`: with g = gradient + weightDecay p, the velocity
 * is v = g at the first update and momentum v + (1 - dampening) g later, the direction d = g + momentum v (Nesterov) or v,
 * and p = p - learningRate d.
 *
 * @example
 * ```ts
 * import { sgd } from "@tacho/tacho";
 *
 * const optimizer = sgd({ learningRate: 0.1, momentum: 0.9, nesterov: true, weightDecay: 1e-4 });
 * ```
 */
export function sgd(options: SgdOptions): SgdSpec {
  return record(schema, options);
}

export const sgdOptimizer: OptimizerDef<typeof schema> = {
  schema,
  update({ learningRate, momentum, dampening, nesterov, weightDecay }) {
    const velocity = momentum === 0 ? "let d = g;" : `
  let before = load_state0(i);
  let v = select(u.momentum * before + u.take * g, g, S[${StepWord.updates}] <= 1u);
  store_state0(i, v);
  let d = ${nesterov ? "g + u.momentum * v" : "v"};`;
    return {
      name: `sgd${momentum === 0 ? "" : nesterov ? ".nesterov" : ".momentum"}`,
      states: momentum === 0 ? 0 : 1,
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
      // Weight decay (2), velocity and look ahead (2 each), step (2)
      flops: 4 + (momentum === 0 ? 0 : nesterov ? 4 : 2),
      ...addedDecay(weightDecay),
    };
  },
  ofParameter({ learningRate, momentum, dampening, nesterov, weightDecay }, p, gradient, state, t) {
    const g = gradient + weightDecay * p;
    if (momentum === 0) return p - learningRate * g;
    const v = t === 1 ? g : momentum * state[0]! + (1 - dampening) * g;
    state[0] = v;
    return p - learningRate * (nesterov ? g + momentum * v : v);
  },
  solver: ({ momentum, nesterov }) => momentum === 0 ? "Sgd" : nesterov ? "Nesterov" : "Momentum",
};
