import { z } from "zod";
import type { UpdateForm } from "../../../ops/optimizer/update_kernel.ts";
import type { KindSchema } from "../../data/kinds.ts";

/** An optimizer: its settings, its kernel and its host form. Defined in one file, listed in `nn/optimizers.ts`. */
export interface OptimizerDef<S extends KindSchema = KindSchema> {
  /** Settings with their help texts and defaults; the `kind` is the factory's name. */
  readonly schema: S;
  /** Returns the update as device code, with its state and its cost. */
  update(spec: z.output<S>): UpdateForm;
  /**
   * Updates one parameter in f64: returns the new value and changes the state in place.
   *
   * @param state a number per state tensor, initially 0
   * @param t index of the update from 1, excluding skipped steps
   */
  ofParameter(spec: z.output<S>, parameter: number, gradient: number, state: Float64Array, t: number): number;
  /** Returns the name of nnabla's solver. Default: the capitalised kind. */
  solver?(spec: z.output<S>): string;
}

const nonNegative = z.number({ error: "expected a number" }).min(0, { error: "expected at least 0" });

/** A fraction from 0 to below 1. */
export const decayRate = nonNegative.lt(1, { error: "expected less than 1" });

/** A fraction from 0 to 1. */
export const share = nonNegative.max(1, { error: "expected at most 1" });

export const learningRate = nonNegative.describe("step size");

/** Constant that guards a division. */
export const epsilon = z.number({ error: "expected a number" }).positive({ error: "expected more than 0" }).default(
  1e-8,
)
  .describe("constant added to the root of the mean square");

/** Weight decay added to the gradient. */
export const weightDecay = nonNegative.default(0).describe("fraction of the parameters added to their gradient");

/** Returns the `decay` of an update that adds a fraction of the parameters to their gradient; nothing for 0. */
export function addedDecay(weightDecay: number): Pick<UpdateForm, "decay"> {
  return weightDecay === 0 ? {} : { decay: { factor: weightDecay, decoupled: false } };
}

/** Returns the `decay` of an update that multiplies the parameters by `1 - learningRate * weightDecay`; nothing for 0. */
export function separateDecay(learningRate: number, weightDecay: number): Pick<UpdateForm, "decay"> {
  return weightDecay === 0 ? {} : { decay: { factor: 1 - learningRate * weightDecay, decoupled: true } };
}

/** Weight decay separate from the gradient. */
export const decoupledDecay = nonNegative.describe(
  "fraction of the parameters, times the learning rate, subtracted in each step",
);
