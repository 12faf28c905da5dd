import type { Pipeline, PipelineBound } from "../result/pipeline.ts";

/** A queue that is empty for more than this fraction of steps starves its consumer. */
const OFTEN = 0.5;

/** Waiting below this fraction of a step is not worth a change. */
const WORTH = 0.05;

/**
 * Returns the bottleneck of the input pipeline, as MindInsight does: the part whose input queue is full while its output
 * queue is empty. The stages of a thread have no queues between them, so they form one link of the chain
 * `making -> host queue -> copy -> device queue -> steps`, and the slowest of them is named by its time.
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
  // Without workers nothing is made while the device works, so making a batch always costs time
  const starved = host === null ? (readerShare ?? 0) > OFTEN : host.empty > OFTEN && (readerShare ?? 0) > WORTH;
  if (device === null) {
    return starved
      ? { where: "making", stage, readerShare, boundsTraining: true }
      : { where: "consumer", stage, readerShare, boundsTraining: false };
  }
  // Batches are staged on the device, so their cost on the host matters only if the device runs out of them
  if (device.empty <= OFTEN) return { where: "consumer", stage, readerShare, boundsTraining: false };
  const making = host === null || host.empty > OFTEN;
  return { where: making ? "making" : "copy", stage, readerShare, boundsTraining: true };
}

function slowest(stages: Pipeline["stages"]): string | null {
  const made = stages.filter(({ share }) => share !== null);
  if (made.length === 0) return null;
  return made.reduce((a, b) => b.share! > a.share! ? b : a).name;
}
