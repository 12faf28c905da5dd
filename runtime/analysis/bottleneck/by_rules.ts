import type { Bottleneck } from "../../result/bottleneck.ts";
import type { VariantResult } from "../../result/variant.ts";

/** A part that takes this much of the step is what it waits for. */
const MOST = 0.5;

/**
 * What bounds the step by reading its trace and its queues, as MindInsight does: an empty queue starves what comes after
 * it; else it is the device where that is busy for most of the step, or the host where the device is idle without
 * waiting for data. Null where device times are missing.
 */
export function readRules({ metrics, pipeline }: Pick<VariantResult, "metrics" | "pipeline">): Bottleneck["byRules"] {
  const { batchCost, readerCost, deviceBusy } = metrics;
  if (deviceBusy === null || batchCost === null || batchCost.value <= 0) return null;
  const busy = deviceBusy.value;
  const reader = Math.min(1, (readerCost?.value ?? 0) / batchCost.value);
  const copy = pipeline?.stages.find(({ kind }) => kind === "copy")?.perBatch ?? 0;
  const copied = Math.min(1 - reader, copy / batchCost.value);
  const times = `device busy ${percent(busy)}, reader cost ${percent(reader)} of the step`;
  if (pipeline?.bound.boundsTraining) {
    const bound = pipeline.bound.where === "copy" ? "transfer" : "input";
    return { bound, reason: `${emptyQueues(pipeline)}${times}` };
  }
  if (busy >= MOST) return { bound: "device", reason: times };
  if (copied >= MOST) return { bound: "transfer", reason: `copying batches ${percent(copied)} of the step, ${times}` };
  const host = 1 - busy - reader - copied;
  if (host >= MOST) return { bound: "host", reason: `neither waits for ${percent(host)} of the step; ${times}` };
  return { bound: "none", reason: `host ${percent(Math.max(0, host))}, ${times}` };
}

function emptyQueues({ queues }: NonNullable<VariantResult["pipeline"]>): string {
  const texts = (["host", "device"] as const).flatMap((name) => {
    const queue = queues[name];
    return queue === null ? [] : [`${name} queue empty at ${percent(queue.empty)} of the steps`];
  });
  return texts.length === 0 ? "" : `${texts.join(", ")}; `;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
