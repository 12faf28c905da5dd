import { z } from "zod";
import type { UpdateForm } from "../../../ops/optimizer/update_kernel.ts";
import type { KindSchema } from "../../data/kinds.ts";

/** An optimizer: its settings, its kernel and its host form. Defined in one file, listed in `nn/optimizers.ts`. */
export interface OptimizerDef<S extends KindSchema = KindSchema> {
  /** Settings with their help texts and defaults; the `kind` is the factory's name. */
  readonly schema: S;
  /** The update as code for the device, with its state and its cost. */
  update(spec: z.output<S>): UpdateForm;
  /**
   * The same update of one parameter in f64: returns the new parameter and changes its state in place.
   *
   * @param state one number for each state tensor, 0 at first
   * @param t number of this update, 1 for the first; skipped steps do not count
   */
  ofParameter(spec: z.output<S>, parameter: number, gradient: number, state: Float64Array, t: number): number;
  /** Name of nnabla's solver; the capitalised kind when left out. */
  solver?(spec: z.output<S>): string;
}

const nonNegative = z.number({ error: "expected a number" }).min(0, { error: "expected at least 0" });

/** A share from 0 to 1, 1 excluded. */
export const decayRate = nonNegative.lt(1, { error: "expected less than 1" });

/** A share from 0 to 1. */
export const share = nonNegative.max(1, { error: "expected at most 1" });

export const learningRate = nonNegative.describe("step size");

/** Guards a division. */
export const epsilon = z.number({ error: "expected a number" }).positive({ error: "expected more than 0" }).default(
  1e-8,
)
  .describe("added to the root of the mean of the squares");

/** Weight decay as part of the gradient. */
export const weightDecay = nonNegative.default(0).describe("factor of the parameters added to their gradient");

/** Weight decay apart from the gradient. */
export const decoupledDecay = nonNegative.describe(
  "factor of the parameters that each step takes off, times the learning rate",
);
