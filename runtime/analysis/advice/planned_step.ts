import type { Memory } from "../../result/variant.ts";
import type { AmpLevel } from "../../scenario/amp_levels.ts";

/** Settings of a variant to plan with. */
export interface PlanChanges {
  /** Factor on the samples of a micro-batch. */
  readonly batch: number;
  /** Computes the activations of blocks again. */
  readonly recompute?: true;
  /** Level of mixed precision. */
  readonly amp?: AmpLevel;
}

/** Work of an op in a step, over all its micro-batches. */
export interface OpWork {
  readonly flops: number;
  /** Minimum bytes read and written. */
  readonly bytes: number;
  /** Elements of its outputs. */
  readonly elements: number;
  readonly dispatches: number;
  /** Workgroups of all its dispatches. */
  readonly workgroups: number;
  /** True for activations that the backward pass computes again. */
  readonly recomputed: boolean;
}

/** A variant as planned, not run. */
export interface PlannedStep {
  readonly memory: Memory;
  /** By ID of the op. */
  readonly work: ReadonlyMap<string, OpWork>;
}

/** Plans a variant with changes; null if that is impossible, as for a model without blocks. */
export type PlanStep = (changes: PlanChanges) => PlannedStep | null;
