import type { Layer, LossSpec, OptimizerSpec } from "./types.ts";
import type { Loss, Model } from "../support/reference/network.ts";
import type { Optimizer } from "../support/reference/optimizers.ts";

/** A network written twice: in Tacho and for the reference. */
export interface ModelCase {
  readonly name: string;
  readonly model: Layer;
  readonly reference: Model;
  readonly batchSize: number;
  /** One sample. */
  readonly input: readonly number[];
  /** Class indices, or f32 values of this many features. */
  readonly target: { readonly classes: number } | { readonly features: number };
  readonly loss: { readonly spec: LossSpec; readonly reference: Loss };
  readonly optimizer: { readonly spec: OptimizerSpec; readonly reference: () => Optimizer };
  /** Key of the batches; 0 when left out. */
  readonly seed?: number;
  /** Largest relative error of losses, gradients and parameters in f32. */
  readonly tolerance: number;
}
