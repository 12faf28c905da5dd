import { decayFlops, decayKernel } from "../../ops/optimizer/update_kernel.ts";
import { DTYPE_BYTES } from "../core/dtype.ts";
import { sizeOf } from "../core/shape.ts";
import type { DeviceTraits } from "../device/traits.ts";
import { BINDING_ALIGNMENT, formOf, runsOf, split, STEP_STATE, type UpdateGroup, updateNode } from "./update.ts";
import type { ArenaLayout, Dispatch, ExtraWork } from "./plan.ts";

/** Phase of weight decay that is timed alone. It is no phase of a step. */
export const DECAY_PHASE = "weight decay";

/**
 * Returns the weight decay of an update as separate dispatches, which change gradients only; null without weight decay.
 *
 * @param groups trained parameters with the settings of their update
 */
export function decayWork(
  layout: ArenaLayout,
  groups: readonly UpdateGroup[],
  traits: DeviceTraits,
): ExtraWork | null {
  const elementBytes = DTYPE_BYTES[layout.dtype];
  const node = { nodeId: "@update.weight_decay", layer: "@update", opType: "weight_decay" };
  const work = { flops: 0, bytes: 0, live: 0 };
  const dispatches = groups.flatMap(({ optimizer, trained }) => {
    const form = formOf(optimizer)?.decay;
    if (form === undefined) return [];
    const count = layout.entries.reduce((sum, { name, type }) => sum + (trained.has(name) ? sizeOf(type.shape) : 0), 0);
    work.flops += count * decayFlops(form);
    work.bytes += count * elementBytes * (form.decoupled ? 2 : 3);
    const chunks = split(runsOf(layout, trained), traits.maxStorageBindingBytes, BINDING_ALIGNMENT);
    return chunks.map((chunk): Dispatch => ({
      kernel: decayKernel(form, {
        dtype: layout.dtype,
        vectors: chunk.size / (4 * elementBytes),
        maxPerDimension: traits.maxWorkgroupsPerDimension,
      }),
      bindings: [{ buffer: "parameters", ...chunk }, STEP_STATE, { buffer: "gradients", ...chunk }],
      ...node,
    }));
  });
  const [first] = dispatches;
  if (first === undefined) return null;
  return { node: { ...updateNode("weight_decay", first.kernel, work), phase: DECAY_PHASE }, dispatches };
}
