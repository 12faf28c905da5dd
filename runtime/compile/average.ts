import { averageKernel } from "../../ops/optimizer/update_kernel.ts";
import { DTYPE_BYTES } from "../core/dtype.ts";
import type { DeviceTraits } from "../device/traits.ts";
import type { ArenaLayout, Dispatch, Location, Plan } from "./plan.ts";
import { BINDING_ALIGNMENT, NO_WORK, type PlannedWork, split, STEP_STATE, updateNode } from "./update.ts";

/** Moving averages of the parameters: the settings that a plan depends on. */
export interface EmaSetting {
  readonly decay: number;
}

/** Returns the bytes of the averages in f32; 0 without averages. */
export function averageBytes({ bytes, dtype }: ArenaLayout, ema: EmaSetting | null): number {
  return ema === null ? 0 : bytes * DTYPE_BYTES.f32 / DTYPE_BYTES[dtype];
}

/** Returns the bytes of the averages' copy in the type of the parameters; 0 if parameters are f32, or without averages. */
export function averageCopyBytes({ averageBytes, parameters }: Pick<Plan, "averageBytes" | "parameters">): number {
  return averageBytes > 0 && parameters.dtype !== "f32" ? parameters.bytes : 0;
}

/** Builds the update of the averages, which follows that of the parameters. */
export function averaging(layout: ArenaLayout, ema: EmaSetting | null, traits: DeviceTraits): PlannedWork {
  if (ema === null || layout.bytes === 0) return NO_WORK;
  const elementBytes = DTYPE_BYTES[layout.dtype];
  const wider = DTYPE_BYTES.f32 / elementBytes;
  const whole = [{ offset: 0, size: layout.bytes }];
  const node = { nodeId: "@update.average", layer: "@update", opType: "average" };
  const dispatches = split(whole, traits.maxStorageBindingBytes / wider, BINDING_ALIGNMENT).map((chunk): Dispatch => {
    const averages: Location = { buffer: "averages", offset: chunk.offset * wider, size: chunk.size * wider };
    const copy: Location = { buffer: "averagesCopy", ...chunk };
    return {
      kernel: averageKernel(ema.decay, {
        dtype: layout.dtype,
        vectors: chunk.size / (4 * elementBytes),
        maxPerDimension: traits.maxWorkgroupsPerDimension,
      }),
      bindings: [{ buffer: "parameters", ...chunk }, STEP_STATE, averages, ...layout.dtype === "f32" ? [] : [copy]],
      ...node,
    };
  });
  const count = layout.bytes / elementBytes;
  const bytes = layout.bytes * (1 + 2 * wider + (layout.dtype === "f32" ? 0 : 1));
  const work = { flops: 3 * count, bytes, live: 0 };
  return { dispatches, nodes: [{ ...updateNode("average", dispatches[0]!.kernel, work), inPlace: true }] };
}
