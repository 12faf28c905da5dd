import type { Pipeline, PipelineBound } from "../result/pipeline.ts";

/** A queue that more steps than this find empty starves what comes after it. */
const OFTEN = 0.5;

/** Waiting that takes less than this part of a step is not worth a change. */
const WORTH = 0.05;

/**
 * What bounds the pipeline, by MindInsight's reasoning: the stage whose input queue is full while its output queue is
 * empty. The stages of a thread hand samples to each other without a queue between them, so they are one link of the
 * chain `making -> host queue -> copy -> device queue -> steps`, in which the slowest is named by its time.
 */
export function boundOf(
  { queues, stages, readerCost, batchCost, trains }:
    & Pick<Pipeline, "queues" | "stages" | "readerCost" | "batchCost">
    & { readonly trains: boolean },
): PipelineBound {
  const readerShare = batchCost.avg > 0 ? Math.min(1, readerCost.avg / batchCost.avg) : null;
  const stage = slowest(stages);
  if (!trains) return { where: "making", stage, readerShare, boundsTraining: null };
  const { host, device } = queues;
  // Without workers nothing is made while the device works: the pipeline costs what it takes.
  const starved = host === null ? (readerShare ?? 0) > OFTEN : host.empty > OFTEN && (readerShare ?? 0) > WORTH;
  if (device === null) {
    return starved
      ? { where: "making", stage, readerShare, boundsTraining: true }
      : { where: "consumer", stage, readerShare, boundsTraining: false };
  }
  // Batches wait on the device, so that what they cost the host counts only where the device runs out of them.
  if (device.empty <= OFTEN) return { where: "consumer", stage, readerShare, boundsTraining: false };
  const making = host === null || host.empty > OFTEN;
  return { where: making ? "making" : "copy", stage, readerShare, boundsTraining: true };
}

function slowest(stages: Pipeline["stages"]): string | null {
  const made = stages.filter(({ share }) => share !== null);
  if (made.length === 0) return null;
  return made.reduce((a, b) => b.share! > a.share! ? b : a).name;
}
