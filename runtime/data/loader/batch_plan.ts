/**
 * What batches are made of, as plain data that is cloned to workers, and the sizes that follow from it.
 *
 * @module
 */
import { type SamplePlan, sampleSizes } from "../samples.ts";

export interface BatchPlan extends SamplePlan {
  readonly batchSize: number;
  readonly shuffle: boolean;
  /** Samples among which the next is drawn where the source is sequential. */
  readonly shuffleBuffer: number;
  readonly dropLast: boolean;
  readonly onError: "fail" | "skip";
  /** The longest time that a sample may take: milliseconds. */
  readonly timeout: number;
}

/** Batches in an epoch. */
export function batchesPerEpoch({ source, batchSize, dropLast }: BatchPlan): number {
  return dropLast ? Math.floor(source.length / batchSize) : Math.ceil(source.length / batchSize);
}

/** Samples in a batch that are not there to fill it up. */
export function batchCount(plan: BatchPlan, index: number): number {
  const begin = (index % batchesPerEpoch(plan)) * plan.batchSize;
  return Math.min(plan.batchSize, plan.source.length - begin);
}

/** The memory of one batch, by field. */
export type BatchMemory = {
  readonly input: Float32Array;
  readonly target: Int32Array | Float32Array;
};

/** Elements of one batch. */
export function batchSizes(plan: BatchPlan): { input: number; target: number; targetDType: "i32" | "f32" } {
  const { input, target, targetDType } = sampleSizes(plan);
  return { input: plan.batchSize * input, target: plan.batchSize * target, targetDType };
}

/** Memory for one batch, on the thread that asks. */
export function allocateBatch(plan: BatchPlan): BatchMemory {
  const { input, target, targetDType } = batchSizes(plan);
  return {
    input: new Float32Array(input),
    target: targetDType === "i32" ? new Int32Array(target) : new Float32Array(target),
  };
}
