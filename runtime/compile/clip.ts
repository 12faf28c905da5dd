import { clipKernel, partialSums, squaresKernel } from "../../ops/optimizer/clip.ts";
import { GRADIENT_BLOCK_BYTES } from "../../ops/optimizer/overflow.ts";
import { DTYPE_BYTES } from "../core/dtype.ts";
import type { KernelSpec } from "../device/kernel.ts";
import type { DeviceTraits } from "../device/traits.ts";
import type { ArenaLayout, Dispatch, Location, PlannedNode } from "./plan.ts";
import { BINDING_ALIGNMENT, NO_WORK, type PlannedWork, split, STEP_STATE, updateNode } from "./update.ts";

/** Returns the bytes of the partial sums from which the norm of gradients is computed; 0 without clipping. */
export function clipBytes({ bytes }: Pick<ArenaLayout, "bytes">, clipNorm: number | null): number {
  return clipNorm === null ? 0 : partialSums(bytes / GRADIENT_BLOCK_BYTES) * 4;
}

/**
 * Builds the clipping of gradients by their common norm, between the bookkeeping, which sets the factor on gradients, and
 * the update, which applies it.
 */
export function clipping(
  layout: ArenaLayout,
  clipNorm: number | null,
  traits: DeviceTraits,
): PlannedWork {
  if (clipNorm === null || layout.bytes === 0) return NO_WORK;
  const partial: Location = { buffer: "normPartials", offset: 0, size: clipBytes(layout, clipNorm) };
  // Offsets in the table, which has a word for each 256 bytes of gradients, must be aligned
  const whole = [{ offset: 0, size: layout.bytes }];
  const dispatches = split(whole, traits.maxStorageBindingBytes, 64 * BINDING_ALIGNMENT).map((chunk): Dispatch => {
    const blocks = chunk.size / GRADIENT_BLOCK_BYTES;
    return {
      kernel: squaresKernel({
        blocks,
        first: partialSums(chunk.offset / GRADIENT_BLOCK_BYTES),
        dtype: layout.dtype,
        maxPerDimension: traits.maxWorkgroupsPerDimension,
      }),
      bindings: [
        { buffer: "gradients", ...chunk },
        { buffer: "gradientTable", offset: chunk.offset / 64, size: blocks * 4 },
        STEP_STATE,
        partial,
      ],
      ...named("gradient_norm"),
    };
  });
  const scale = clipKernel(clipNorm, partial.size / 4);
  const count = layout.bytes / DTYPE_BYTES[layout.dtype];
  return {
    dispatches: [...dispatches, { kernel: scale, bindings: [partial, STEP_STATE], ...named("clip_norm") }],
    nodes: [
      record("gradient_norm", dispatches[0]!.kernel, 3 * count, layout.bytes + partial.size),
      record("clip_norm", scale, partial.size / 4 + 4, partial.size),
    ],
  };
}

function record(type: string, kernel: KernelSpec, flops: number, bytes: number): PlannedNode {
  return updateNode(type, kernel, { flops, bytes, live: 0 });
}

function named(type: string): Pick<Dispatch, "nodeId" | "layer" | "opType"> {
  return { nodeId: `@update.${type}`, layer: "@update", opType: type };
}
