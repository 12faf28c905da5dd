import { roundUp } from "../../core/round_up.ts";

/** Samples that came for nothing, as a part of a block's, that are not worth a step. */
const NEGLIGIBLE = 0.02;

/** What a variant's block is made of. */
export interface BlockSize {
  readonly steps: number;
  readonly batchSize: number;
  readonly numWorkers: number;
  /** Steps that are handed over together. */
  readonly unit: number;
}

/**
 * Steps at the start of a block that do not count. A loader stands still while other variants run, but each of its workers
 * first ends the sample at hand: at most a batch for each worker is ready that nothing was waited for. Where blocks are
 * large that is nothing; otherwise it is taken away first. The number follows from the settings alone, so that it is the
 * same in every run.
 */
export function drainSteps({ steps, batchSize, numWorkers, unit }: BlockSize): number {
  return numWorkers > NEGLIGIBLE * steps * batchSize ? roundUp(numWorkers, unit) : 0;
}
