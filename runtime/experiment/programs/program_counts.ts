import type { AttachedDevice, AttachResult } from "../../result/attach_result.ts";
import { sha256 } from "../../core/sha256.ts";
import type { ExactCounts, ExactKernel } from "../../result/schema.ts";

/** Returns the counts of a program's step, of the first device with steps; null without any. */
export function programCounts({ devices }: AttachResult): ExactCounts | null {
  const device = devices.find((device) => device.perStep !== null);
  const perStep = device?.perStep ?? null;
  if (device === undefined || perStep === null) return null;
  const kernels = kernelsOf(device, perStep.dispatches);
  return {
    // A median of an even number of steps may lie between two counts
    dispatches: Number.isInteger(perStep.dispatches) ? perStep.dispatches : null,
    pipelines: kernels === null ? null : kernels.length,
    buffers: device.boundBuffers,
    ...{ flops: null, bytes: null, peakBytes: device.memory?.exactPeak ?? null, kernels },
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

/**
 * Returns the kernels of a step by the hash of their code and entry point, sorted. Null if steps differ in them, or not every
 * dispatch of the timed steps is known.
 */
function kernelsOf({ kernels }: AttachedDevice, dispatches: number): ExactKernel[] | null {
  const dispatched = kernels.filter(({ calls }) => calls > 0);
  if (dispatched.some(({ hash }) => hash === "")) return null;
  const all = [...Map.groupBy(dispatched, ({ hash, entryPoint }) => sha256(`${hash} ${entryPoint}`).slice(0, 12))]
    .map(([hash, own]): ExactKernel => {
      const name = own[0]!.name.replace(/ #[0-9a-f]+$/, "");
      return { name, hash, dispatches: own.reduce((sum, { perStep }) => sum + (perStep ?? NaN), 0) };
    });
  if (!all.every(({ dispatches }) => Number.isInteger(dispatches))) return null;
  if (all.length === 0 || all.reduce((sum, kernel) => sum + kernel.dispatches, 0) !== dispatches) return null;
  return all.sort((a, b) => a.hash < b.hash ? -1 : 1);
}
