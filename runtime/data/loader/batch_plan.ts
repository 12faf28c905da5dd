/**
 * Plan of batches, as plain data that is cloned to workers, and the sizes that follow from it.
 *
 * @module
 */
import { allocateFields, type FieldArrays, type FieldSizes, repeated } from "../fields.ts";
import { sampleFields, type SamplePlan } from "../samples.ts";
import type { BatchPart } from "./options.ts";

export interface BatchPlan extends SamplePlan {
  /** Samples that this loader makes of each batch. */
  readonly batchSize: number;
  /** Part of each global batch that this loader makes. */
  readonly part: BatchPart;
  readonly shuffle: boolean;
  /** Samples in the shuffle buffer of a sequential source. */
  readonly shuffleBuffer: number;
  readonly dropLast: boolean;
  readonly onError: "fail" | "skip";
  /** Time limit of a sample in milliseconds. */
  readonly timeout: number;
  /** Time limit to import modules and open the source in milliseconds. */
  readonly openTimeout: number;
}

/** Returns the number of batches in an epoch. */
export function batchesPerEpoch({ source, batchSize, part, dropLast }: BatchPlan): number {
  const batches = source.length / (batchSize * part.ranks);
  return dropLast ? Math.floor(batches) : Math.ceil(batches);
}

/** Returns the number of samples in a batch, without those that fill it up. */
export function batchCount(plan: BatchPlan, index: number): number {
  return Math.min(plan.batchSize, plan.source.length - batchBegin(plan, index));
}

/** Returns the position of a batch's first sample in its epoch. */
export function batchBegin(plan: BatchPlan, index: number): number {
  const { batchSize, part: { rank, ranks } } = plan;
  return ((index % batchesPerEpoch(plan)) * ranks + rank) * batchSize;
}

/** Returns the fields of one batch. */
export function batchFields(plan: BatchPlan): FieldSizes {
  return repeated(sampleFields(plan), plan.batchSize);
}

/** Allocates memory for one batch on the calling thread. */
export function allocateBatch(plan: BatchPlan): FieldArrays {
  return allocateFields(batchFields(plan));
}
