import type { Bottleneck } from "../../result/bottleneck.ts";
import type { VariantResult } from "../../result/variant.ts";
import { waitBounds } from "../metrics.ts";
import { pipelineOfStep } from "../pipeline_of_step.ts";

/** A part that takes this fraction of the step bounds it. */
const MAJORITY = 0.5;

/**
 * Reads the bound of a step from its trace and queues, as MindInsight does: an empty queue starves its consumer; otherwise
 * the device bounds a step if it is busy for most of it, and the host if the device is idle without waiting for data. Null
 * without device times.
 */
export function readRules(
  variant: Pick<VariantResult, "metrics" | "pipeline" | "config">,
): Bottleneck["byRules"] {
  const { batchCost, readerCost, deviceBusy } = variant.metrics;
  const pipeline = pipelineOfStep(variant);
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
  if (busy >= MAJORITY) return { bound: "device", reason: times };
  if (copied >= MAJORITY) {
    return { bound: "transfer", reason: `copying batches takes ${percent(copied)} of the step, ${times}` };
  }
  const host = 1 - busy - reader - copied;
  if (waitBounds(reader, busy)) return { bound: "input", reason: times };
  if (host >= MAJORITY) return { bound: "host", reason: `the host takes ${percent(host)} of the step; ${times}` };
  return { bound: "none", reason: `host ${percent(Math.max(0, host))}, ${times}` };
}

function emptyQueues({ queues }: NonNullable<VariantResult["pipeline"]>): string {
  const texts = (["host", "device"] as const).flatMap((name) => {
    const queue = queues[name];
    return queue === null ? [] : [`${name} queue empty for ${percent(queue.empty)} of steps`];
  });
  return texts.length === 0 ? "" : `${texts.join(", ")}; `;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
