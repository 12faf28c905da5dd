import { ADAM_STATES, adamKernel } from "../../ops/optimizer/adam.ts";
import { beginUpdateKernel, type ScalerConstants } from "../../ops/optimizer/begin_update.ts";
import { GRADIENT_BLOCK_BYTES, overflowTestKernel } from "../../ops/optimizer/overflow_test.ts";
import { sgdKernel, sgdStates } from "../../ops/optimizer/sgd.ts";
import { LOSS_RING_STEPS, LOSS_RING_WORDS, STEP_STATE_WORDS } from "../../ops/optimizer/step_state.ts";
import { DTYPE_BYTES, type FloatType } from "../core/dtype.ts";
import { sizeOf } from "../core/shape.ts";
import type { KernelSpec } from "../device/kernel.ts";
import type { DeviceTraits } from "../device/traits.ts";
import type { OptimizerSpec } from "../nn/optimizers.ts";
import type { ArenaLayout, Dispatch, Location, PersistentBuffer, PlannedNode } from "./plan.ts";

/** Bytes of the step state and of the ring of losses. */
export const STEP_STATE_BYTES = STEP_STATE_WORDS * 4;
export const LOSS_RING_BYTES = LOSS_RING_STEPS * LOSS_RING_WORDS * 4;

/** What the offset of a binding is a multiple of: bytes (WebGPU's `minStorageBufferOffsetAlignment`). */
const BINDING_ALIGNMENT = 256;

export const STEP_STATE: Location = { buffer: "step", offset: 0, size: STEP_STATE_BYTES };
const LOSS_RING: Location = { buffer: "lossRing", offset: 0, size: LOSS_RING_BYTES };

/** Bytes of each tensor of the optimizer's state: an f32 for each element of the arena of parameters. */
export function optimizerStates(optimizer: OptimizerSpec | null, { bytes, dtype }: ArenaLayout): number[] {
  return new Array(stateCount(optimizer)).fill(bytes * widening(dtype));
}

function stateCount(optimizer: OptimizerSpec | null): number {
  if (optimizer === null) return 0;
  return optimizer.kind === "sgd" ? sgdStates(optimizer) : ADAM_STATES;
}

/** How much more an element takes in the optimizer's state than among the parameters. */
function widening(dtype: FloatType): number {
  return DTYPE_BYTES.f32 / DTYPE_BYTES[dtype];
}

/**
 * The last phase of a training step in a few dispatches: the overflow test (when the loss is scaled), the bookkeeping,
 * and one update for all parameters, or more where an arena is larger than a binding may be.
 *
 * @param trained names of the parameters that have gradients; the others stay as they are, weight decay included
 */
export function updateDispatches(
  layout: ArenaLayout,
  trained: ReadonlySet<string>,
  loss: Location,
  optimizer: OptimizerSpec | null,
  scaler: ScalerConstants | null,
  traits: DeviceTraits,
): { dispatches: Dispatch[]; nodes: PlannedNode[] } {
  const dispatches: Dispatch[] = [];
  const nodes: PlannedNode[] = [];
  const runs = runsOf(layout, trained);
  const count = layout.entries.reduce((sum, { name, type }) => sum + (trained.has(name) ? sizeOf(type.shape) : 0), 0);
  const elementBytes = DTYPE_BYTES[layout.dtype];
  const add = (type: string, kernel: KernelSpec, bindings: Location[]) =>
    dispatches.push({ kernel, bindings, nodeId: `@update.${type}`, layer: "@update", opType: type });
  const describe = (type: string, kernel: KernelSpec, flops: number, bytes: number) =>
    nodes.push({
      id: `@update.${type}`,
      layer: "@update",
      type,
      precision: "fixed",
      roles: [],
      aliases: {},
      phase: "update",
      kernel: kernel.name,
      members: [],
      inputs: [],
      outputs: [],
      flops,
      bytes,
      live: { activations: loss.size, workspace: 0 },
      range: null,
      inPlace: type === optimizer?.kind,
    });
  const states = stateCount(optimizer);
  const wider = widening(layout.dtype);
  const chunks = split(runs, traits.maxStorageBindingBytes / (states > 0 ? wider : 1), BINDING_ALIGNMENT);
  const range = (buffer: PersistentBuffer, chunk: Chunk): Location => ({ buffer, ...chunk });

  if (optimizer !== null && scaler !== null) {
    // All of the arena, since the table's offsets must be aligned, of which a word is for 256 bytes; what has no
    // gradient is 0 there
    const whole = [{ offset: 0, size: layout.bytes }];
    const tested = split(whole, traits.maxStorageBindingBytes, 64 * BINDING_ALIGNMENT);
    for (const chunk of tested) {
      const blocks = chunk.size / GRADIENT_BLOCK_BYTES;
      const kernel = overflowTestKernel(blocks, layout.dtype, traits);
      add("overflow_test", kernel, [
        range("gradients", chunk),
        { buffer: "gradientTable", offset: chunk.offset / 64, size: blocks * 4 },
        STEP_STATE,
      ]);
      if (chunk === tested[0]) describe("overflow_test", kernel, 0, count * elementBytes);
    }
  }
  const begin = beginUpdateKernel(
    scaler ?? { dynamic: false, growth: 1, interval: 1, backoff: 1 },
    optimizer === null || optimizer.kind === "sgd" ? [0, 0] : [optimizer.beta1, optimizer.beta2],
  );
  add("begin_update", begin, [STEP_STATE, loss, LOSS_RING]);
  describe("begin_update", begin, 0, STEP_STATE_BYTES);
  if (optimizer === null) return { dispatches, nodes };
  for (const chunk of chunks) {
    const kernel = updateKernelOf(optimizer, layout.dtype, chunk.size / (4 * elementBytes), traits);
    const wide = { offset: chunk.offset * wider, size: chunk.size * wider };
    const kept = Array.from({ length: states }, (_, n) => range(`optimizer${n as 0 | 1}`, wide));
    add(optimizer.kind, kernel, [range("gradients", chunk), STEP_STATE, range("parameters", chunk), ...kept]);
    if (chunk === chunks[0]) {
      describe(optimizer.kind, kernel, count * updateFlops(optimizer), count * elementBytes * (3 + 2 * states * wider));
    }
  }
  return { dispatches, nodes };
}

/**
 * Floating-point operations for a parameter: unscaling the gradient (1), weight decay (2, in AdamW 1), then for SGD the
 * velocity and Nesterov's look ahead (2 each) and the step (2); for Adam the moments (3 and 4) and the step (6).
 */
function updateFlops(optimizer: OptimizerSpec): number {
  if (optimizer.kind !== "sgd") return optimizer.kind === "adamW" ? 15 : 16;
  if (optimizer.momentum === 0) return 5;
  return optimizer.nesterov ? 9 : 7;
}

interface Chunk {
  readonly offset: number;
  readonly size: number;
}

/** Ranges of an arena in which every tensor is trained, as long as they can be. */
function runsOf({ entries, bytes }: ArenaLayout, trained: ReadonlySet<string>): Chunk[] {
  const runs: Chunk[] = [];
  entries.forEach(({ name, offset }, i) => {
    if (!trained.has(name)) return;
    const end = entries[i + 1]?.offset ?? bytes;
    const last = runs.at(-1);
    if (last !== undefined && last.offset + last.size === offset) {
      runs.splice(-1, 1, { ...last, size: end - last.offset });
    } else runs.push({ offset, size: end - offset });
  });
  return runs;
}

/** Ranges cut at multiples of `alignment` bytes, so that each fits a binding. */
function split(ranges: readonly Chunk[], largest: number, alignment: number): Chunk[] {
  const limit = Math.floor(largest / alignment) * alignment;
  return ranges.flatMap(({ offset, size }) => {
    const chunks: Chunk[] = [];
    for (let at = 0; at < size; at += limit) chunks.push({ offset: offset + at, size: Math.min(limit, size - at) });
    return chunks;
  });
}

function updateKernelOf(optimizer: OptimizerSpec, dtype: FloatType, vectors: number, traits: DeviceTraits): KernelSpec {
  const max = traits.maxWorkgroupsPerDimension;
  return optimizer.kind === "sgd"
    ? sgdKernel(optimizer, dtype, vectors, max)
    : adamKernel({ ...optimizer, decoupled: optimizer.kind === "adamW" }, dtype, vectors, max);
}
