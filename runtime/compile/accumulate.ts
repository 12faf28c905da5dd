import { accumulateKernel, accumulateLossKernel } from "../../ops/optimizer/accumulate.ts";
import { DTYPE_BYTES } from "../core/dtype.ts";
import type { KernelSpec } from "../device/kernel.ts";
import type { DeviceTraits } from "../device/traits.ts";
import type { ArenaLayout, Dispatch, Location, PlannedNode } from "./plan.ts";
import { BINDING_ALIGNMENT, type PlannedWork, split, STEP_STATE, updateNode } from "./update.ts";

/** Returns the bytes of gradients: those of the step and, if there are several micro-batches, of the current one. */
export function gradientBytes({ bytes }: Pick<ArenaLayout, "bytes">, accumulate: number): number {
  return accumulate > 1 ? 2 * bytes : bytes;
}

/**
 * Builds the end of a micro-batch's backward pass: adds its gradients and its loss to those of the step.
 *
 * @param loss mean loss of the micro-batch
 */
export function accumulation(layout: ArenaLayout, loss: Location, batches: number, traits: DeviceTraits): PlannedWork {
  const elementBytes = DTYPE_BYTES[layout.dtype];
  const whole = [{ offset: 0, size: layout.bytes }];
  const dispatches = split(whole, traits.maxStorageBindingBytes, BINDING_ALIGNMENT).map((chunk): Dispatch => ({
    kernel: accumulateKernel(batches, {
      dtype: layout.dtype,
      vectors: chunk.size / (4 * elementBytes),
      maxPerDimension: traits.maxWorkgroupsPerDimension,
    }),
    bindings: [{ buffer: "microGradients", ...chunk }, STEP_STATE, { buffer: "gradients", ...chunk }],
    ...named("accumulate_gradients"),
  }));
  const count = layout.bytes / elementBytes;
  const lossKernel = accumulateLossKernel(batches);
  const lossDispatch = { kernel: lossKernel, bindings: [STEP_STATE, loss], ...named("accumulate_loss") };
  const [first] = dispatches;
  return {
    dispatches: [...dispatches, lossDispatch],
    nodes: [
      ...first === undefined
        ? []
        : [record("accumulate_gradients", first.kernel, 2 * count, 3 * layout.bytes, loss.size)],
      record("accumulate_loss", lossKernel, 2, 16, loss.size),
    ],
  };
}

function record(type: string, kernel: KernelSpec, flops: number, bytes: number, live: number): PlannedNode {
  return { ...updateNode(type, kernel, { flops, bytes, live }), ...placed(type), phase: "backward" };
}

function placed(type: string): { id: string; layer: string } {
  return { id: `@accumulate.${type}`, layer: "@accumulate" };
}

function named(type: string): Pick<Dispatch, "nodeId" | "layer" | "opType"> {
  const { id, layer } = placed(type);
  return { nodeId: id, layer, opType: type };
}
