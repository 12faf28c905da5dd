/**
 * Types of optimizers. Generated from their schemas by: deno task types
 *
 * @module
 */

import type { Resolved } from "../../core/resolved.ts";

/** Record that `sgd` returns. */
export interface SgdSpec extends Resolved<SgdOptions> {
  kind: "sgd";
}

/** Options of `sgd`. */
export interface SgdOptions {
  /** Step size. */
  readonly learningRate: number;
  /** Fraction of the previous step that is kept. Default: `0`. */
  readonly momentum?: number | undefined;
  /** Fraction of the gradient left out of the momentum. Default: `0`. */
  readonly dampening?: number | undefined;
  /** Look ahead along the momentum; requires momentum and no dampening. Default: `false`. */
  readonly nesterov?: boolean | undefined;
  /** Fraction of the parameters added to their gradient. Default: `0`. */
  readonly weightDecay?: number | undefined;
}

/** Record that `adam` returns. */
export interface AdamSpec extends Resolved<AdamOptions> {
  kind: "adam";
}

/** Options of `adam`. */
export interface AdamOptions {
  /** Step size. Default: `0.001`. */
  readonly learningRate?: number | undefined;
  /** Decay of the mean of the gradients. Default: `0.9`. */
  readonly beta1?: number | undefined;
  /** Decay of the mean of their squares. Default: `0.999`. */
  readonly beta2?: number | undefined;
  /** Constant added to the root of the mean square. Default: `1e-8`. */
  readonly epsilon?: number | undefined;
  /** Fraction of the parameters added to their gradient. Default: `0`. */
  readonly weightDecay?: number | undefined;
}

/** Record that `adamW` returns. */
export interface AdamWSpec extends Resolved<AdamWOptions> {
  kind: "adamW";
}

/** Options of `adamW`. */
export interface AdamWOptions {
  /** Step size. Default: `0.001`. */
  readonly learningRate?: number | undefined;
  /** Decay of the mean of the gradients. Default: `0.9`. */
  readonly beta1?: number | undefined;
  /** Decay of the mean of their squares. Default: `0.999`. */
  readonly beta2?: number | undefined;
  /** Constant added to the root of the mean square. Default: `1e-8`. */
  readonly epsilon?: number | undefined;
  /** Fraction of the parameters, times the learning rate, subtracted in each step. Default: `0.01`. */
  readonly weightDecay?: number | undefined;
}

/** Record that `rmsprop` returns. */
export interface RmspropSpec extends Resolved<RmspropOptions> {
  kind: "rmsprop";
}

/** Options of `rmsprop`. */
export interface RmspropOptions {
  /** Step size. Default: `0.01`. */
  readonly learningRate?: number | undefined;
  /** Decay of the mean of the squared gradients. Default: `0.99`. */
  readonly alpha?: number | undefined;
  /** Constant added to the root of the mean square. Default: `1e-8`. */
  readonly epsilon?: number | undefined;
  /** Fraction of the previous step that is kept. Default: `0`. */
  readonly momentum?: number | undefined;
  /** Divide by the deviation of the gradients instead of the root of their mean square. Default: `false`. */
  readonly centered?: boolean | undefined;
  /** Fraction of the parameters added to their gradient. Default: `0`. */
  readonly weightDecay?: number | undefined;
}

/** Record that `lion` returns. */
export interface LionSpec extends Resolved<LionOptions> {
  kind: "lion";
}

/** Options of `lion`. */
export interface LionOptions {
  /** Step size. Default: `0.0001`. */
  readonly learningRate?: number | undefined;
  /** Weight of the momentum in the direction of a step. Default: `0.9`. */
  readonly beta1?: number | undefined;
  /** Decay of the momentum. Default: `0.99`. */
  readonly beta2?: number | undefined;
  /** Fraction of the parameters, times the learning rate, subtracted in each step. Default: `0`. */
  readonly weightDecay?: number | undefined;
}

/** Record of any of the optimizers. */
export type OptimizerSpec = SgdSpec | AdamSpec | AdamWSpec | RmspropSpec | LionSpec;
