import type { Pipeline, PipelineQueue } from "../result/pipeline.ts";

/** A queue between two stages. */
export interface QueueAfter {
  readonly name: "host" | "device";
  readonly queue: PipelineQueue;
}

/** Returns the queue that a stage fills; null where the next stage is called directly, as within a thread. */
export function queueAfter({ stages, queues }: Pipeline, index: number): QueueAfter | null {
  const handOver = stages.findIndex(({ kind }) => kind === "handOver");
  const last = handOver < 0 ? stages.findLastIndex(({ threads }) => threads.length > 0) : handOver;
  if (stages[index]?.kind === "copy") return queues.device === null ? null : { name: "device", queue: queues.device };
  return index === last && queues.host !== null ? { name: "host", queue: queues.host } : null;
}
