/**
 * Types of losses. Generated from their schemas by: deno task types
 *
 * @module
 */

/** Record that `crossEntropy` returns. */
export interface CrossEntropySpec {
  kind: "crossEntropy";
  /** Part of the target spread evenly over all classes. */
  labelSmoothing: number;
}

/** Options of `crossEntropy`. */
export interface CrossEntropyOptions {
  /** Part of the target spread evenly over all classes. Default: `0`. */
  readonly labelSmoothing?: number | undefined;
}

/** Record that `meanSquaredError` returns. */
export interface MeanSquaredErrorSpec {
  kind: "meanSquaredError";
}

/** Record that `binaryCrossEntropy` returns. */
export interface BinaryCrossEntropySpec {
  kind: "binaryCrossEntropy";
}

/** Record that `huber` returns. */
export interface HuberSpec {
  kind: "huber";
  /** Absolute error from which the loss grows linearly. */
  delta: number;
}

/** Options of `huber`. */
export interface HuberOptions {
  /** Absolute error from which the loss grows linearly. Default: `1`. */
  readonly delta?: number | undefined;
}

/** Record of any of the losses. */
export type LossSpec = CrossEntropySpec | MeanSquaredErrorSpec | BinaryCrossEntropySpec | HuberSpec;
