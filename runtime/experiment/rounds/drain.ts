import { roundUp } from "../../core/round_up.ts";

/** Fraction of a block's samples that may be loaded in advance without draining. */
const NEGLIGIBLE = 0.02;

/** Size of a variant's block. */
export interface BlockSize {
  readonly steps: number;
  readonly batchSize: number;
  readonly numWorkers: number;
  /** Steps per submission. */
  readonly unit: number;
}

/**
 * Returns the number of steps to run before a block without measuring them. A paused loader still finishes the samples in
 * progress, so that up to one batch per worker is ready at no cost. Large blocks make this negligible; otherwise these
 * batches are used up first. The number depends only on settings, so that it is the same in every run.
 */
export function drainSteps({ steps, batchSize, numWorkers, unit }: BlockSize): number {
  return numWorkers > NEGLIGIBLE * steps * batchSize ? roundUp(numWorkers, unit) : 0;
}
