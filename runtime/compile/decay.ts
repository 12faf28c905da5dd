import { decayFlops, decayKernel } from "../../ops/optimizer/decay_kernel.ts";
import { DTYPE_BYTES } from "../core/dtype.ts";
import { sizeOf } from "../core/shape.ts";
import type { DeviceTraits } from "../device/traits.ts";
import type { OptimizerSpec } from "../nn/optimizers.ts";
import type { ArenaLayout, Dispatch, ExtraWork } from "./plan.ts";
import { BINDING_ALIGNMENT, formOf, runsOf, split, STEP_STATE, updateNode } from "./update.ts";

/** Phase of weight decay that is timed alone. It is no phase of a step. */
export const DECAY_PHASE = "weight decay";

/**
 * Returns the weight decay of an update as separate dispatches, which change gradients only; null without weight decay.
 *
 * @param trained names of the parameters that have gradients
 */
export function decayWork(
  layout: ArenaLayout,
  trained: ReadonlySet<string>,
  optimizer: OptimizerSpec | null,
  traits: DeviceTraits,
): ExtraWork | null {
  const form = formOf(optimizer)?.decay;
  if (form === undefined) return null;
  const elementBytes = DTYPE_BYTES[layout.dtype];
  const node = { nodeId: "@update.weight_decay", layer: "@update", opType: "weight_decay" };
  const chunks = split(runsOf(layout, trained), traits.maxStorageBindingBytes, BINDING_ALIGNMENT);
  const dispatches = chunks.map((chunk): Dispatch => ({
    kernel: decayKernel(form, {
      dtype: layout.dtype,
      vectors: chunk.size / (4 * elementBytes),
      maxPerDimension: traits.maxWorkgroupsPerDimension,
    }),
    bindings: [{ buffer: "parameters", ...chunk }, STEP_STATE, { buffer: "gradients", ...chunk }],
    ...node,
  }));
  const [first] = dispatches;
  if (first === undefined) return null;
  const count = layout.entries.reduce((sum, { name, type }) => sum + (trained.has(name) ? sizeOf(type.shape) : 0), 0);
  const bytes = count * elementBytes * (form.decoupled ? 2 : 3);
  const work = { flops: count * decayFlops(form), bytes, live: 0 };
  return { node: { ...updateNode("weight_decay", first.kernel, work), phase: DECAY_PHASE }, dispatches };
}
