/**
 * Types of losses. Generated from their schemas by: deno task types
 *
 * @module
 */

import type { Resolved } from "../../core/resolved.ts";

/** Record that `crossEntropy` returns. */
export interface CrossEntropySpec extends Resolved<CrossEntropyOptions> {
  kind: "crossEntropy";
  /** Weight of each class; null: all weigh the same. */
  weight: number[] | null;
}

/** Options of `crossEntropy`. */
export interface CrossEntropyOptions {
  /** Part of the target spread evenly over all classes. Default: `0`. */
  readonly labelSmoothing?: number | undefined;
  /** Class index of ignored targets, which add neither loss nor gradient. Default: `-100`. */
  readonly ignoreIndex?: number | undefined;
  /** Weight of each class; null: all weigh the same. */
  readonly weight?: readonly number[] | null | undefined;
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
export interface HuberSpec extends Resolved<HuberOptions> {
  kind: "huber";
}

/** Options of `huber`. */
export interface HuberOptions {
  /** Absolute error from which the loss grows linearly. Default: `1`. */
  readonly delta?: number | undefined;
}

/** Record of any of the losses. */
export type FactoryLossSpec = CrossEntropySpec | MeanSquaredErrorSpec | BinaryCrossEntropySpec | HuberSpec;
