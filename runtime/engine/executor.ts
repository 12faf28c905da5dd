import { bind, type BoundDispatch, encodePass, firstUse } from "../device/bind.ts";
import type { Device } from "../device/device.ts";
import type { KernelSpec } from "../device/kernel.ts";
import type { BufferRange } from "../device/readback.ts";
import type { PassTimestamps } from "../device/timestamps.ts";
import type { Location, Plan } from "../compile/plan.ts";
import type { SlotPool } from "./slot_pool.ts";

/** An op of a plan that can be encoded separately. */
export interface ExecutorOp {
  readonly nodeId: string;
  readonly phase: string;
  /** Encodes the op as one pass. */
  encode(encoder: GPUCommandEncoder, timestamps?: PassTimestamps): void;
}

/** A dispatch of a plan in a separate pass. */
export interface ExecutorDispatch {
  /** Index of its op in {@linkcode Executor.ops}. */
  readonly op: number;
  readonly phase: string;
  /** Name of the kernel. */
  readonly kernel: string;
  /** Number of its micro-batch; null in a step of one batch, and in the update. */
  readonly batch: number | null;
  encode(encoder: GPUCommandEncoder, timestamps?: PassTimestamps): void;
}

/** A dispatch of a plan, ready to be encoded. */
interface Ready extends BoundDispatch {
  readonly nodeId: string;
  readonly kernel: KernelSpec;
}

/** A shader that the device has not run yet. */
export interface NewShader {
  readonly kernel: KernelSpec;
  /** Encodes a dispatch with a single workgroup, whose results are wrong. */
  encode(encoder: GPUCommandEncoder): void;
}

/** An op with its dispatches. */
interface Group {
  readonly nodeId: string;
  readonly phase: string;
  readonly dispatches: Ready[];
}

/** An executor's persistent buffers, by their names in the plan. */
export type BufferSource = ReadonlyMap<string, GPUBuffer>;

/** Micro-batches of a step that accumulates gradients, all on the device. */
export interface MicroBatches {
  /** Encodes a copy of micro-batch `n` to the buffers that the plan reads. */
  copy(encoder: GPUCommandEncoder, n: number): void;
}

/** A pass of a step: a segment, for one of its micro-batches. */
interface StepPass {
  readonly phase: string;
  readonly dispatches: readonly Ready[];
  /** Micro-batch to copy before the pass, or null. */
  readonly copied: number | null;
}

/** A plan on a device. Pipelines, bind groups and uniforms are created once, then encoded in every step. */
export class Executor {
  readonly #phases: readonly StepPass[];
  readonly #micro: MicroBatches | null;
  readonly #free: () => void;
  readonly #bufferOf: (location: Location) => GPUBuffer;
  /** Ops of a step in order, those of a micro-batch once; consecutive dispatches of one node are one op. */
  readonly ops: readonly ExecutorOp[];
  /** Dispatches of a step in order, over all its micro-batches. */
  readonly dispatches: readonly ExecutorDispatch[];

  readonly plan: Plan;
  readonly device: Device;

  private constructor(
    plan: Plan,
    device: Device,
    phases: readonly { phase: string; dispatches: readonly Ready[] }[],
    free: () => void,
    micro: MicroBatches | null,
    bufferOf: (location: Location) => GPUBuffer,
  ) {
    this.plan = plan;
    this.device = device;
    this.#micro = micro;
    this.#phases = passesOf(plan, phases);
    const groups = groupByNode(phases);
    this.ops = groups.map(opOf);
    this.dispatches = this.#orderOf(groups.flatMap(dispatchesOf));
    this.#free = free;
    this.#bufferOf = bufferOf;
  }

  /** Phases of a step in order; each is one pass. */
  get phases(): readonly string[] {
    return this.#phases.map((entry) => entry.phase);
  }

  /**
   * Creates pipelines and bind groups. The plan's slots must be reserved in `slots`.
   *
   * @param onKernel called with the number of kernels whose pipelines exist, and of all
   * @param micro micro-batches of a plan that accumulates gradients
   */
  static async create(
    plan: Plan,
    device: Device,
    buffers: BufferSource,
    slots: SlotPool,
    onKernel?: (done: number, all: number) => void,
    micro: MicroBatches | null = null,
  ): Promise<Executor> {
    // A pool that grows has other buffers later, but the executor keeps its own
    const bound = new Map<string | number, GPUBuffer>();
    const bufferOf = (location: Location) => {
      const key = typeof location.buffer === "string" ? location.buffer : location.buffer.slot;
      const buffer = bound.get(key) ?? resolve(location, buffers, slots);
      bound.set(key, buffer);
      return buffer;
    };
    const calls = plan.segments.flatMap((segment) => segment.dispatches).map(({ kernel, bindings, nodeId }) => ({
      kernel,
      buffers: bindings.map((location) => ({
        buffer: bufferOf(location),
        offset: location.offset,
        size: location.size,
      })),
      label: `${nodeId} ${kernel.name}`,
    }));
    const { dispatches, free } = await bind(device, calls, onKernel);
    let next = 0;
    const phases = plan.segments.map((segment) => ({
      phase: segment.phase,
      dispatches: segment.dispatches.map(({ nodeId, kernel }): Ready => ({
        nodeId,
        kernel,
        ...dispatches[next++]!,
      })),
    }));
    return new Executor(plan, device, phases, free, micro, bufferOf);
  }

  /** Returns the memory that a location of the plan has on the device. */
  range(location: Location): BufferRange {
    return { ...location, buffer: this.#bufferOf(location) };
  }

  /**
   * Encodes one step, with a pass for each phase. `timestamps` returns the two queries of a pass.
   *
   * @param includes selects the passes to encode, by phase and index; default: all
   */
  encode(
    encoder: GPUCommandEncoder,
    timestamps?: (phase: string) => PassTimestamps | undefined,
    includes: (phase: string, pass: number) => boolean = () => true,
  ): void {
    for (const [pass, { phase, dispatches, copied }] of this.#phases.entries()) {
      if (!includes(phase, pass)) continue;
      if (copied !== null) this.#micro?.copy(encoder, copied);
      encodePass(encoder, phase, dispatches, timestamps?.(phase));
    }
  }

  /** Repeats dispatches for each micro-batch; the first of each copies it. */
  #orderOf(once: readonly ExecutorDispatch[]): readonly ExecutorDispatch[] {
    const { accumulate } = this.plan;
    if (accumulate === 1) return once;
    const repeated = once.filter(({ phase }) => phase !== "update");
    const [first, ...others] = repeated as [ExecutorDispatch, ...ExecutorDispatch[]];
    const ofBatch = (batch: number): ExecutorDispatch[] => [{
      ...first,
      batch,
      encode: (encoder, timestamps) => {
        this.#micro?.copy(encoder, batch);
        first.encode(encoder, timestamps);
      },
    }, ...others.map((dispatch) => ({ ...dispatch, batch }))];
    const batches = Array.from({ length: accumulate }, (_, n) => ofBatch(n));
    return [...batches.flat(), ...once.filter(({ phase }) => phase === "update")];
  }

  /**
   * Encodes every dispatch with a single workgroup: the first use of its bind group and its memory at next to none of the
   * work. Its results are wrong.
   */
  encodeFirstUse(encoder: GPUCommandEncoder): void {
    for (const { phase, dispatches } of this.#phases) {
      encodePass(encoder, phase, dispatches.map(firstUse));
    }
  }

  /** Returns the shaders of the plan that the device has not run yet. The caller runs all of them. */
  newShaders(): NewShader[] {
    return this.#phases.flatMap(({ dispatches }) => dispatches)
      .filter(({ pipeline }) => this.device.pipelines.firstDispatch(pipeline))
      .map((dispatch) => ({
        kernel: dispatch.kernel,
        encode: (encoder) => encodePass(encoder, dispatch.kernel.name, [firstUse(dispatch)]),
      }));
  }

  free(): void {
    this.#free();
  }
}

/** Returns the passes of a step: the segments of a batch for each micro-batch, then the update. */
function passesOf({ accumulate }: Plan, segments: readonly Pick<StepPass, "phase" | "dispatches">[]): StepPass[] {
  if (accumulate === 1) return segments.map((segment) => ({ ...segment, copied: null }));
  const repeated = segments.filter(({ phase }) => phase !== "update");
  const batches = Array.from(
    { length: accumulate },
    (_, n) => repeated.map((segment, i): StepPass => ({ ...segment, copied: i === 0 ? n : null })),
  );
  const update = segments.filter(({ phase }) => phase === "update").map((segment) => ({ ...segment, copied: null }));
  return [...batches.flat(), ...update];
}

/** Groups consecutive dispatches of one node. An all-reduce may split a phase in the middle of an op. */
function groupByNode(segments: readonly Pick<StepPass, "phase" | "dispatches">[]): Group[] {
  const groups: Group[] = [];
  for (const { phase, dispatches } of segments) {
    for (const dispatch of dispatches) {
      const last = groups.at(-1);
      if (last?.nodeId === dispatch.nodeId && last.phase === phase) last.dispatches.push(dispatch);
      else groups.push({ nodeId: dispatch.nodeId, phase, dispatches: [dispatch] });
    }
  }
  return groups;
}

function opOf({ nodeId, phase, dispatches }: Group): ExecutorOp {
  return {
    nodeId,
    phase,
    encode: (encoder, timestamps) => encodePass(encoder, nodeId, dispatches, timestamps),
  };
}

function dispatchesOf({ nodeId, phase, dispatches }: Group, op: number): ExecutorDispatch[] {
  return dispatches.map((dispatch) => ({
    op,
    phase,
    kernel: dispatch.kernel.name,
    batch: null,
    encode: (encoder, timestamps) => encodePass(encoder, `${nodeId} ${dispatch.kernel.name}`, [dispatch], timestamps),
  }));
}

function resolve(location: Location, buffers: BufferSource, slots: SlotPool): GPUBuffer {
  if (typeof location.buffer !== "string") return slots.buffer(location.buffer.slot);
  const buffer = buffers.get(location.buffer);
  if (buffer === undefined) throw new Error(`The plan binds ${location.buffer}, which is missing`);
  return buffer;
}
