import type { AttachResult } from "../../analysis/attach/result.ts";
import type { ExactCounts } from "../../result/schema.ts";

/** Returns the counts of a program's step, of the first device with steps; null without any. */
export function programCounts({ devices }: AttachResult): ExactCounts | null {
  const perStep = devices.find((device) => device.perStep !== null)?.perStep ?? null;
  if (perStep === null) return null;
  return {
    // A median of an even number of steps may lie between two counts
    dispatches: Number.isInteger(perStep.dispatches) ? perStep.dispatches : null,
    ...{ pipelines: null, buffers: null, flops: null, bytes: null, kernels: null },
    submits: perStep.submits,
    waits: perStep.waits,
    readbacks: perStep.reads,
    readbackBytes: perStep.readBytes,
    uploads: perStep.uploads + perStep.mappedUploads,
    uploadBytes: perStep.uploadBytes + perStep.mappedUploadBytes,
    copies: perStep.copies,
    copyBytes: perStep.copyBytes,
    newBuffers: perStep.buffers,
  };
}
