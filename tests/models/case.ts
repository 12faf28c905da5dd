import type { Layer } from "../../mod.ts";
import type { LossSpec } from "../../runtime/nn/losses.ts";
import type { OptimizerSpec } from "../../runtime/nn/optimizers.ts";
import type { Loss, Model } from "../support/reference/network.ts";
import type { Optimizer } from "../support/reference/optimizers.ts";

/** A network defined twice: in Tacho and for the reference. */
export interface ModelCase {
  readonly name: string;
  readonly model: Layer;
  readonly reference: Model;
  readonly batchSize: number;
  /** Shape of one sample. */
  readonly input: readonly number[];
  /** Number of different tokens of an input of indices; absent for an input of f32 values. */
  readonly vocabulary?: number;
  /** Class indices, one per sample or one for each place of a shape, or f32 values with a number of features. */
  readonly target: { readonly classes: number; readonly places?: readonly number[] } | { readonly features: number };
  readonly loss: { readonly spec: LossSpec; readonly reference: Loss };
  readonly optimizer: { readonly spec: OptimizerSpec; readonly reference: () => Optimizer };
  /** Seed of the batches. Default: 0. */
  readonly seed?: number;
  /** Standard deviation of noise that is added to the initial parameters, some of which are 0. Default: 0. */
  readonly noise?: number;
  /** Largest relative error of losses, gradients and parameters in f32. */
  readonly tolerance: number;
}
