/**
 * What batches are made of, as plain data that is cloned to workers, and the sizes that follow from it.
 *
 * @module
 */
import { allocateFields, type FieldArrays, type FieldSizes, repeated } from "../fields.ts";
import { sampleFields, type SamplePlan } from "../samples.ts";

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

/** Fields of one batch. */
export function batchFields(plan: BatchPlan): FieldSizes {
  return repeated(sampleFields(plan), plan.batchSize);
}

/** Memory for one batch, on the thread that asks. */
export function allocateBatch(plan: BatchPlan): FieldArrays {
  return allocateFields(batchFields(plan));
}
