/**
 * How parameters are updated, as plain records that the command line can reach into. Semantics and defaults are those of
 * `torch.optim`; the kernels are in `ops/optimizer/`. Values are checked with the scenario.
 *
 * @module
 */
import { z } from "zod";

const nonNegative = z.number({ error: "expected a number" }).min(0, { error: "expected at least 0" });
const decayRate = nonNegative.lt(1, { error: "expected less than 1" });
const learningRate = nonNegative.describe("step size");

const sgdSchema = z.strictObject({
  kind: z.literal("sgd"),
  learningRate,
  momentum: decayRate.default(0).describe("part of the last step that is kept"),
  dampening: nonNegative.max(1, { error: "expected at most 1" }).default(0)
    .describe("part of the gradient left out of the momentum"),
  nesterov: z.boolean({ error: "expected true or false" }).default(false)
    .describe("look ahead along the momentum; needs momentum and no dampening"),
  weightDecay: nonNegative.default(0).describe("factor of the parameters added to their gradient"),
}).refine((spec) => !spec.nesterov || (spec.momentum > 0 && spec.dampening === 0), {
  path: ["nesterov"],
  error: "expected false, or a momentum above 0 and no dampening",
});

const adamFields = {
  learningRate: learningRate.default(1e-3),
  beta1: decayRate.default(0.9).describe("decay of the mean of the gradients"),
  beta2: decayRate.default(0.999).describe("decay of the mean of their squares"),
  epsilon: z.number({ error: "expected a number" }).positive({ error: "expected more than 0" }).default(1e-8)
    .describe("added to the root of the mean of the squares"),
};

const adamSchema = z.strictObject({
  kind: z.literal("adam"),
  ...adamFields,
  weightDecay: nonNegative.default(0).describe("factor of the parameters added to their gradient"),
});

const adamWSchema = z.strictObject({
  kind: z.literal("adamW"),
  ...adamFields,
  weightDecay: nonNegative.default(0.01).describe("factor of the parameters that each step takes off, times the rate"),
});

/** Any optimizer, told apart by `kind`. */
export const optimizerSchema = z.discriminatedUnion("kind", [sgdSchema, adamSchema, adamWSchema], {
  error: "expected an optimizer: sgd(), adam() or adamW()",
});

export type SgdSpec = z.infer<typeof sgdSchema>;
export type AdamSpec = z.infer<typeof adamSchema>;
export type AdamWSpec = z.infer<typeof adamWSchema>;
export type OptimizerSpec = z.infer<typeof optimizerSchema>;

/** What {@linkcode sgd} takes. */
export interface SgdOptions {
  learningRate: number;
  /** Part of the last step that is kept. Default: 0. */
  momentum?: number;
  /** Part of the gradient left out of the momentum. Default: 0. */
  dampening?: number;
  /** Default: false. */
  nesterov?: boolean;
  /** Factor of the parameters added to their gradient. Default: 0. */
  weightDecay?: number;
}

/** What {@linkcode adam} and {@linkcode adamW} take. */
export interface AdamOptions {
  /** Default: 1e-3. */
  learningRate?: number;
  /** Default: 0.9. */
  beta1?: number;
  /** Default: 0.999. */
  beta2?: number;
  /** Default: 1e-8. */
  epsilon?: number;
  /** Default: 0 (Adam), 0.01 (AdamW). */
  weightDecay?: number;
}

/** Stochastic gradient descent. */
export function sgd(options: SgdOptions): SgdSpec {
  return { kind: "sgd", momentum: 0, dampening: 0, nesterov: false, weightDecay: 0, ...options };
}

const ADAM_DEFAULTS = { learningRate: 1e-3, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 };

/** Adam (D. Kingma and J. Ba, 2015). */
export function adam(options: AdamOptions = {}): AdamSpec {
  return { kind: "adam", ...ADAM_DEFAULTS, weightDecay: 0, ...options };
}

/** Adam with decoupled weight decay (I. Loshchilov and F. Hutter, 2019). */
export function adamW(options: AdamOptions = {}): AdamWSpec {
  return { kind: "adamW", ...ADAM_DEFAULTS, weightDecay: 0.01, ...options };
}
