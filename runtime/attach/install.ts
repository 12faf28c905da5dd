import { captureNative } from "./native.ts";
import { Patches } from "./patch.ts";
import { patchBuffers } from "./patches/buffers.ts";
import { patchCommands } from "./patches/commands.ts";
import { patchComputePasses } from "./patches/compute_passes.ts";
import { patchDeviceRequests, patchDevices } from "./patches/devices.ts";
import { patchMarks } from "./patches/marks.ts";
import { patchPipelines } from "./patches/pipelines.ts";
import { patchQueue } from "./patches/queue.ts";
import { patchRenderPasses } from "./patches/render_passes.ts";
import type { Recording } from "./realm.ts";
import type { Registry } from "./registry.ts";

/**
 * Patches WebGPU's prototypes so that the devices of a registry are recorded. Objects of other devices pass through.
 * Returns the patches, to undo them.
 *
 * @param requested how to record the devices that the program requests from now on; null leaves them alone
 */
export function install(registry: Registry, requested: Recording | null): Patches {
  captureNative();
  const patches = new Patches();
  if (requested !== null) patchDeviceRequests(patches, registry, requested);
  const kernels = patchPipelines(patches, registry);
  const { encoders, finished } = patchCommands(patches, registry);
  patchDevices(patches, registry);
  patchBuffers(patches, registry);
  patchComputePasses(patches, registry, { encoders, kernels });
  patchRenderPasses(patches, encoders);
  patchQueue(patches, registry, finished);
  patchMarks(patches, registry);
  return patches;
}
