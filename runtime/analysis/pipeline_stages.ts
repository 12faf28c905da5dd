import type { LoaderProfile, ThreadProfile } from "../data/loader/meter.ts";
import type { PipelineStage, PipelineThread } from "../result/pipeline.ts";

/**
 * Returns the stages in the order in which a batch passes them: those of a thread, the hand-over, the copy to the device.
 *
 * @param letData time of each step to copy its batches, in ms
 */
export function stagesOf(
  loader: LoaderProfile,
  letData: readonly number[],
  { batchSize, batchesPerStep }: { readonly batchSize: number; readonly batchesPerStep: number },
): PipelineStage[] {
  const { threads, handOver, batches } = loader;
  const made = loader.stages.map((name, i): PipelineStage => {
    const perSample = timePerSample(threads, i);
    return {
      name,
      kind: kindOf(name),
      perSample,
      perBatch: perSample === null ? null : perSample * batchSize,
      share: shareOf(threads, i),
      threads: threads.map((thread) => ({ worker: numberOf(thread), perSample: timePerSample([thread], i) })),
    };
  });
  const outside = (name: string, kind: "handOver" | "copy", perBatch: number): PipelineStage => ({
    name,
    kind,
    perSample: perBatch / batchSize,
    perBatch,
    share: null,
    threads: [],
  });
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return [
    ...made,
    ...handOver === null ? [] : [outside("hand-over", "handOver", handOver.sum / batches)],
    ...letData.length === 0 ? [] : [outside("let data", "copy", mean(letData) / batchesPerStep)],
  ];
}

/**
 * Returns the threads that make batches.
 *
 * @param slots true if threads can wait for a free slot
 * @param steps the measured steps
 */
export function threadsOf(
  { threads }: LoaderProfile,
  slots: boolean,
  steps: readonly { readonly workerQueues?: readonly number[] }[],
): PipelineThread[] {
  return threads.map((thread) => {
    const { batches, make, slotWait, timed } = thread;
    const total = make.sum + slotWait;
    const ready = steps.flatMap(({ workerQueues }) => workerQueues?.[thread.worker] ?? []);
    return {
      worker: numberOf(thread),
      batches,
      make: { avg: make.sum / batches, min: make.min, max: make.max },
      timed,
      waiting: slots && total > 0 ? slotWait / total : null,
      ...ready.length === 0 ? {} : { ready },
    };
  });
}

function kindOf(name: string): PipelineStage["kind"] {
  return name === "read" || name === "decode" || name === "cache" || name === "collate" ? name : "transform";
}

function numberOf({ worker }: ThreadProfile): number | null {
  return worker < 0 ? null : worker;
}

/** Returns ms per timed sample; null without any. */
function timePerSample(threads: readonly ThreadProfile[], stage: number): number | null {
  const timed = threads.reduce((sum, thread) => sum + thread.timed, 0);
  return timed === 0 ? null : threads.reduce((sum, thread) => sum + thread.stages[stage]!, 0) / timed;
}

/**
 * Returns the stage's fraction of the time of all stages. Threads are weighted by the samples that they made, not by those
 * that they timed.
 */
function shareOf(threads: readonly ThreadProfile[], stage: number): number | null {
  let [part, whole] = [0, 0];
  for (const { timed, samples, stages } of threads) {
    if (timed === 0) continue;
    part += stages[stage]! / timed * samples;
    whole += stages.reduce((sum, time) => sum + time, 0) / timed * samples;
  }
  return whole > 0 ? part / whole : null;
}
