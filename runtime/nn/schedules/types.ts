/**
 * Types of schedules. Generated from their schemas by: deno task types
 *
 * @module
 */

import type { Resolved } from "../../core/resolved.ts";

/** Record that `constant` returns. */
export interface ConstantSpec extends Resolved<ConstantOptions> {
  kind: "constant";
}

/** Options of `constant`. */
export interface ConstantOptions {
  /** Updates during which the rate rises linearly to the learning rate. Default: `0`. */
  readonly warmup?: number | undefined;
  /** Rate of the first update of the warm-up, as a fraction of the learning rate. Default: `0`. */
  readonly warmupStart?: number | undefined;
}

/** Record that `step` returns. */
export interface StepSpec extends Resolved<StepOptions> {
  kind: "step";
}

/** Options of `step`. */
export interface StepOptions {
  /** Updates between two changes, counted after the warm-up. */
  readonly stepSize: number;
  /** Factor on the rate at each change. Default: `0.1`. */
  readonly gamma?: number | undefined;
  /** Updates during which the rate rises linearly to the learning rate. Default: `0`. */
  readonly warmup?: number | undefined;
  /** Rate of the first update of the warm-up, as a fraction of the learning rate. Default: `0`. */
  readonly warmupStart?: number | undefined;
}

/** Record that `cosine` returns. */
export interface CosineSpec extends Resolved<CosineOptions> {
  kind: "cosine";
}

/** Options of `cosine`. */
export interface CosineOptions {
  /** Updates until the end, after which the rate stays. */
  readonly steps: number;
  /** Last rate, as a fraction of the learning rate. Default: `0`. */
  readonly minFactor?: number | undefined;
  /** Updates during which the rate rises linearly to the learning rate. Default: `0`. */
  readonly warmup?: number | undefined;
  /** Rate of the first update of the warm-up, as a fraction of the learning rate. Default: `0`. */
  readonly warmupStart?: number | undefined;
}

/** Record that `oneCycle` returns. */
export interface OneCycleSpec extends Resolved<OneCycleOptions> {
  kind: "oneCycle";
}

/** Options of `oneCycle`. */
export interface OneCycleOptions {
  /** Updates until the end, after which the rate stays. */
  readonly steps: number;
  /** Fraction of the updates during which the rate rises. Default: `0.3`. */
  readonly pctStart?: number | undefined;
  /** The first rate is learningRate / divFactor. Default: `25`. */
  readonly divFactor?: number | undefined;
  /** The last rate is the first rate / finalDivFactor. Default: `10000`. */
  readonly finalDivFactor?: number | undefined;
  /** Shape of the rise and the fall. Default: `"cos"`. */
  readonly anneal?: "cos" | "linear" | undefined;
}

/** Record of any of the schedules. */
export type ScheduleSpec = ConstantSpec | StepSpec | CosineSpec | OneCycleSpec;
