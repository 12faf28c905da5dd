/**
 * Types of schedules. Generated from their schemas by: deno task types
 *
 * @module
 */

/** Record that `constant` returns. */
export interface ConstantSpec {
  kind: "constant";
  /** Updates during which the rate rises linearly to the learning rate. */
  warmup: number;
  /** Rate of the first update of the warm-up, as a fraction of the learning rate. */
  warmupStart: number;
}

/** Options of `constant`. */
export interface ConstantOptions {
  /** Updates during which the rate rises linearly to the learning rate. Default: `0`. */
  readonly warmup?: number | undefined;
  /** Rate of the first update of the warm-up, as a fraction of the learning rate. Default: `0`. */
  readonly warmupStart?: number | undefined;
}

/** Record that `step` returns. */
export interface StepSpec {
  kind: "step";
  /** Updates between two changes, counted after the warm-up. */
  stepSize: number;
  /** Factor on the rate at each change. */
  gamma: number;
  /** Updates during which the rate rises linearly to the learning rate. */
  warmup: number;
  /** Rate of the first update of the warm-up, as a fraction of the learning rate. */
  warmupStart: number;
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
export interface CosineSpec {
  kind: "cosine";
  /** Updates until the end, after which the rate stays. */
  steps: number;
  /** Last rate, as a fraction of the learning rate. */
  minFactor: number;
  /** Updates during which the rate rises linearly to the learning rate. */
  warmup: number;
  /** Rate of the first update of the warm-up, as a fraction of the learning rate. */
  warmupStart: number;
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
export interface OneCycleSpec {
  kind: "oneCycle";
  /** Updates until the end, after which the rate stays. */
  steps: number;
  /** Fraction of the updates during which the rate rises. */
  pctStart: number;
  /** The first rate is learningRate / divFactor. */
  divFactor: number;
  /** The last rate is the first rate / finalDivFactor. */
  finalDivFactor: number;
  /** Shape of the rise and the fall. */
  anneal: "cos" | "linear";
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
