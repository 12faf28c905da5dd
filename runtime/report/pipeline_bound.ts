import type { Pipeline } from "../result/pipeline.ts";
import { formatCount, formatCounted, formatNumber, formatPercent } from "./format.ts";
import { nameInProse } from "./plain_text.ts";
import { formatMemory } from "../core/memory.ts";

/** Returns the bottleneck of the pipeline, whether it limits training, and the figures behind that. */
export function boundSentence(pipeline: Pipeline): string {
  const { bound, queues, numWorkers } = pipeline;
  const waits = bound.readerShare === null
    ? ""
    : `the loop spends ${formatPercent(bound.readerShare)} % of the batch cost waiting for data` +
      (queues.device === null || bound.boundsTraining ? "" : ", while the device runs the previous sink");
  const stage = slowest(pipeline);
  if (bound.boundsTraining === null) return `loader only: ${stage}`;
  if (!bound.boundsTraining) {
    const lesser = numWorkers === 0 && (bound.readerShare ?? 0) > 0.05
      ? "; workers would prepare batches in parallel"
      : "";
    return `the pipeline does not limit training: ${waits}${evidence(pipeline)}${lesser}`;
  }
  if (bound.where === "copy") {
    return "the copy to the device limits training: its input, the host queue, is empty at only " +
      `${formatPercent(queues.host?.empty ?? 0)} % of the steps, and its output, the device queue, at ` +
      `${formatPercent(queues.device?.empty ?? 0)} %`;
  }
  return `the pipeline limits training: ${waits}${evidence(pipeline)}; ${stage}`;
}

/** Returns the state of the queues. */
function evidence({ queues, threads }: Pipeline): string {
  const words: string[] = [];
  if (queues.host !== null) words.push(`the host queue is empty at ${formatPercent(queues.host.empty)} % of the steps`);
  if (queues.device !== null) {
    const empty = `${formatPercent(queues.device.empty)} %`;
    words.push(
      queues.host === null ? `the device queue is empty at ${empty} of the steps` : `the device queue at ${empty}`,
    );
  }
  const waiting = threads.flatMap(({ waiting }) => waiting ?? []);
  if (waiting.length > 0) {
    const mean = waiting.reduce((sum, share) => sum + share, 0) / waiting.length;
    words.push(`workers wait ${formatPercent(mean)} % of the time for a free slot`);
  }
  return words.length === 0 ? "" : `; ${words.join(", ")}`;
}

function slowest({ bound, stages }: Pipeline): string {
  const stage = stages.find(({ name, share }) => name === bound.stage && share !== null);
  if (stage === undefined) return "no stage was timed";
  const time = stage.perBatch === null ? "" : ` (${formatNumber(stage.perBatch)} ms per batch)`;
  return `${nameInProse(stage.name)} takes the largest share of the preparation, ${
    formatPercent(stage.share!)
  } %${time}`;
}

/** Describes the cache of a pipeline; null without one. */
export function cacheSentence({ cache }: Pipeline): string | null {
  if (cache === undefined) return null;
  const { samples, bytes, limit, full, hits, misses, fillMs } = cache;
  const place = cache.in === "memory" ? "memory" : "a file";
  const used = full ? `full at ${formatMemory(limit)}` : formatMemory(bytes);
  const filled = fillMs === null ? "" : `, filled in ${formatNumber(fillMs / 1000)} s before the first batch`;
  const found = hits + misses === 0 ? "" : `; ${formatPercent(hits / (hits + misses))} % of the samples came from it`;
  return `cache in ${place}: ${formatCount(samples)} samples, ${used}${filled}${found}`;
}

/** Formats the number of samples with warnings, and the first warning; null without any. */
export function warningSentence({ warnings }: Pick<Pipeline, "warnings">): string | null {
  if (warnings === undefined) return null;
  return `${formatCounted(warnings.samples, "sample")} decoded with warnings; first warning: ${warnings.first}`;
}
