import { beginUpdateKernel, type ScalerConstants } from "../../ops/optimizer/begin_update.ts";
import { GRADIENT_BLOCK_BYTES, overflowTestKernel } from "../../ops/optimizer/overflow.ts";
import {
  LOSS_RING_STEPS,
  LOSS_RING_WORDS,
  POSITION_WORDS,
  STEP_STATE_WORDS,
  StepWord,
} from "../../ops/optimizer/step_state.ts";
import { type UpdateForm, updateKernel } from "../../ops/optimizer/update_kernel.ts";
import type { RateSchedule } from "../../ops/optimizer/rate_schedule.ts";
import { DTYPE_BYTES, type FloatType } from "../core/dtype.ts";
import { sizeOf } from "../core/shape.ts";
import type { KernelSpec } from "../device/kernel.ts";
import type { DeviceTraits } from "../device/traits.ts";
import { optimizerOf, type OptimizerSpec } from "../nn/optimizers.ts";
import type { ArenaLayout, Dispatch, Location, PersistentBuffer, PlannedNode } from "./plan.ts";
import { leafAttrs } from "../graph/leaf.ts";
import type { Tensor } from "../graph/op.ts";
import { groupIndices, groupOptimizers, type ParameterGroup } from "../nn/parameter_groups.ts";

/** Bytes of the step state without a position, and of the ring of losses. */
export const STEP_STATE_BYTES = STEP_STATE_WORDS * 4;
export const LOSS_RING_BYTES = LOSS_RING_STEPS * LOSS_RING_WORDS * 4;

/** Alignment of binding offsets in bytes (WebGPU's `minStorageBufferOffsetAlignment`). */
export const BINDING_ALIGNMENT = 256;

/** Floating-point operations per parameter to undo the loss scale, in addition to the optimizer's. */
const UNSCALE_FLOPS = 1;

export const STEP_STATE: Location = { buffer: "step", offset: 0, size: STEP_STATE_BYTES };
export const LOSS_SCALE: Location = { buffer: "step", offset: StepWord.lossScale * 4, size: 16 };
export const POSITION: Location = { buffer: "step", offset: StepWord.position * 4, size: POSITION_WORDS * 4 };
const LOSS_RING: Location = { buffer: "lossRing", offset: 0, size: LOSS_RING_BYTES };

/** Returns the bytes of each tensor of the optimizer's state: an f32 for each element of the parameter arena. */
export function optimizerStates(optimizer: OptimizerSpec | null, { bytes, dtype }: ArenaLayout): number[] {
  return new Array(formOf(optimizer)?.states ?? 0).fill(bytes * widening(dtype));
}

/** Returns the update of an optimizer; null without one. */
export function formOf(optimizer: OptimizerSpec | null): UpdateForm | null {
  return optimizer === null ? null : optimizerOf(optimizer).update(optimizer);
}

/** Returns the ratio of an element's size in the optimizer's state, f32, to its size among the parameters. */
function widening(dtype: FloatType): number {
  return DTYPE_BYTES.f32 / DTYPE_BYTES[dtype];
}

/** Dispatches of a part of a step, and the records of their ops. */
export interface PlannedWork {
  readonly dispatches: readonly Dispatch[];
  readonly nodes: readonly PlannedNode[];
}

/** A part of a step that a variant leaves out. */
export const NO_WORK: PlannedWork = { dispatches: [], nodes: [] };

/**
 * Builds the last phase of a training step: the overflow test if the loss is scaled, the bookkeeping, and the update.
 * One dispatch updates all parameters of a group, unless the arena is larger than a binding may be or some parameters are
 * not trained.
 *
 * @param trained names of the parameters that have gradients; the others do not change, not even by weight decay
 * @param more micro-batches of a step, clipping of its gradients, schedule of the learning rate, groups of the trained
 * parameters (default: one), and averages of the parameters
 */
export function updateDispatches(
  layout: ArenaLayout,
  trained: ReadonlySet<string>,
  loss: Location,
  optimizer: OptimizerSpec | null,
  scaler: ScalerConstants | null,
  traits: DeviceTraits,
  more: {
    readonly accumulate?: number;
    readonly clip?: PlannedWork;
    readonly schedule?: RateSchedule | null;
    readonly groups?: readonly UpdateGroup[];
    readonly averages?: PlannedWork;
  } = {},
): { dispatches: Dispatch[]; nodes: PlannedNode[] } {
  const dispatches: Dispatch[] = [];
  const nodes: PlannedNode[] = [];
  const { accumulate = 1, clip = NO_WORK, schedule = null, averages = NO_WORK } = more;
  const groups = more.groups ?? (optimizer === null ? [] : [{ optimizer, trained }]);
  const count = layout.entries.reduce((sum, { name, type }) => sum + (trained.has(name) ? sizeOf(type.shape) : 0), 0);
  const elementBytes = DTYPE_BYTES[layout.dtype];
  const add = (type: string, kernel: KernelSpec, bindings: Location[]) =>
    dispatches.push({ kernel, bindings, nodeId: `@update.${type}`, layer: "@update", opType: type });
  const describe = (type: string, kernel: KernelSpec, flops: number, bytes: number) =>
    nodes.push({
      ...updateNode(type, kernel, { flops, bytes, live: loss.size }),
      // The bookkeeping sets the step's counters and keeps its loss
      ...type === "begin_update" && { aliases: { singa: "SetValue" } },
      inPlace: type === optimizer?.kind,
    });
  const form = formOf(optimizer);
  const states = form?.states ?? 0;
  const wider = widening(layout.dtype);
  const largest = traits.maxStorageBindingBytes / (states > 0 ? wider : 1);
  const range = (buffer: PersistentBuffer, chunk: Chunk): Location => ({ buffer, ...chunk });

  if (optimizer !== null && scaler !== null) {
    // The test covers the whole arena, because binding offsets in the table, which has one word per 256 bytes of
    // gradients, must be aligned. Gradients of untrained parameters are 0
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
    form?.corrections ?? [],
    accumulate,
    schedule,
  );
  add("begin_update", begin, accumulate > 1 ? [STEP_STATE, LOSS_RING] : [STEP_STATE, loss, LOSS_RING]);
  describe("begin_update", begin, 0, STEP_STATE_BYTES);
  if (optimizer === null || form === null) return { dispatches, nodes };
  dispatches.push(...clip.dispatches);
  nodes.push(...clip.nodes);
  let described = false;
  for (const group of groups) {
    const own = formOf(group.optimizer)!;
    for (const chunk of split(runsOf(layout, group.trained), largest, BINDING_ALIGNMENT)) {
      const kernel = updateKernel(own, {
        dtype: layout.dtype,
        vectors: chunk.size / (4 * elementBytes),
        maxPerDimension: traits.maxWorkgroupsPerDimension,
        scheduled: schedule !== null,
      });
      const wide = { offset: chunk.offset * wider, size: chunk.size * wider };
      const kept = Array.from({ length: states }, (_, n) => range(`optimizer${n}`, wide));
      add(optimizer.kind, kernel, [range("gradients", chunk), STEP_STATE, range("parameters", chunk), ...kept]);
      if (described) continue;
      described = true;
      const flops = form.flops + UNSCALE_FLOPS;
      describe(optimizer.kind, kernel, count * flops, count * elementBytes * (3 + 2 * states * wider));
    }
  }
  dispatches.push(...averages.dispatches);
  nodes.push(...averages.nodes);
  return { dispatches, nodes };
}

/** Returns the record of an op of the update, with its work and the bytes in use while it runs. */
export function updateNode(
  type: string,
  kernel: KernelSpec,
  { flops, bytes, live }: { flops: number; bytes: number; live: number },
): PlannedNode {
  return {
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
    live: { activations: live, workspace: 0 },
    range: null,
    inPlace: false,
  };
}

/** A range of an arena in bytes. */
export interface Chunk {
  readonly offset: number;
  readonly size: number;
}

/** Returns the longest ranges of an arena in which every tensor is trained. */
export function runsOf({ entries, bytes }: ArenaLayout, trained: ReadonlySet<string>): Chunk[] {
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

/** Splits ranges at multiples of `alignment` bytes, so that each part fits a binding. */
export function split(ranges: readonly Chunk[], largest: number, alignment: number): Chunk[] {
  const limit = Math.floor(largest / alignment) * alignment;
  return ranges.flatMap(({ offset, size }) => {
    const chunks: Chunk[] = [];
    for (let at = 0; at < size; at += limit) chunks.push({ offset: offset + at, size: Math.min(limit, size - at) });
    return chunks;
  });
}

/** Parameters with the same settings of the optimizer, next to each other in the arena. */
export interface UpdateGroup {
  readonly optimizer: OptimizerSpec;
  /** Names of the trained parameters. */
  readonly trained: ReadonlySet<string>;
}

/** Orders parameters by group, for the arena; within a group they keep their order. */
export function byGroup(parameters: readonly Tensor[], groups: readonly ParameterGroup[]): readonly Tensor[] {
  if (groups.length === 0) return parameters;
  const indices = indicesOf(parameters, groups);
  return parameters.map((_, i) => i).toSorted((a, b) => indices[a]! - indices[b]!).map((i) => parameters[i]!);
}

/** Returns the groups that have trained parameters, in the order of the arena. */
export function updateGroups(
  parameters: readonly Tensor[],
  trained: ReadonlySet<string>,
  optimizer: OptimizerSpec | null,
  groups: readonly ParameterGroup[],
): UpdateGroup[] {
  if (optimizer === null) return [];
  if (groups.length === 0) return [{ optimizer, trained }];
  const indices = indicesOf(parameters, groups);
  return groupOptimizers(optimizer, groups).flatMap((settings, group) => {
    const names = parameters.map(({ node }) => node.id).filter((name, i) => indices[i] === group && trained.has(name));
    return names.length === 0 ? [] : [{ optimizer: settings, trained: new Set(names) }];
  });
}

function indicesOf(parameters: readonly Tensor[], groups: readonly ParameterGroup[]): number[] {
  const named = parameters.map((leaf) => ({ name: leaf.node.id, shape: leafAttrs(leaf)!.type.shape }));
  return groupIndices(named, groups);
}
