import type { Device } from "../device/device.ts";
import type { PassTimestamps } from "../device/timestamps.ts";
import { roundUp } from "../core/round_up.ts";
import type { Dispatch, Location, Plan, PlanPhase } from "../compile/plan.ts";
import type { SlotPool } from "./slot_pool.ts";

/** An op of a plan that is ready to be encoded by itself. */
export interface ExecutorOp {
  readonly nodeId: string;
  readonly phase: PlanPhase;
  readonly dispatches: number;
  /** Encodes the op as one pass. */
  encode(encoder: GPUCommandEncoder, timestamps?: PassTimestamps): void;
}

interface Ready {
  readonly nodeId: string;
  readonly pipeline: GPUComputePipeline;
  readonly bindGroup: GPUBindGroup;
  readonly grid: readonly [number, number, number];
  readonly label: string;
}

/** Where an executor's persistent buffers come from, by the names of the plan. */
export type BufferSource = ReadonlyMap<string, GPUBuffer>;

/** A plan made real on a device: pipelines, bind groups and uniforms made once, then encoded step by step. */
export class Executor {
  readonly #phases: readonly { phase: PlanPhase; dispatches: readonly Ready[] }[];
  readonly #uniforms: GPUBuffer;
  #ops: readonly ExecutorOp[] | null = null;

  private constructor(
    readonly plan: Plan,
    readonly device: Device,
    phases: readonly { phase: PlanPhase; dispatches: readonly Ready[] }[],
    uniforms: GPUBuffer,
  ) {
    this.#phases = phases;
    this.#uniforms = uniforms;
  }

  /** The phases of a step, in order; each is one pass. */
  get phases(): readonly PlanPhase[] {
    return this.#phases.map((entry) => entry.phase);
  }

  /** The ops of a step in order; consecutive dispatches of one node are one op. */
  get ops(): readonly ExecutorOp[] {
    return this.#ops ??= this.#phases.flatMap(({ phase, dispatches }) => groupByNode(phase, dispatches));
  }

  /** Dispatches of a step. */
  get dispatchCount(): number {
    return this.#phases.reduce((sum, phase) => sum + phase.dispatches.length, 0);
  }

  static async create(plan: Plan, device: Device, buffers: BufferSource, slots: SlotPool): Promise<Executor> {
    const dispatches = plan.segments.flatMap((segment) => segment.dispatches);
    const uniforms = uploadUniforms(device, dispatches);
    const pipelines: GPUComputePipeline[] = [];
    // One after the other, so that the time of each is known
    for (const dispatch of dispatches) pipelines.push(await device.pipelines.get(dispatch.kernel));
    let next = 0;
    const phases = plan.segments.map((segment) => ({
      phase: segment.phase,
      dispatches: segment.dispatches.map((dispatch): Ready => {
        const index = next++;
        const entries = dispatch.bindings.map((location, binding): GPUBindGroupEntry => ({
          binding,
          resource: { buffer: resolve(location, buffers, slots), offset: location.offset, size: location.size },
        }));
        const words = dispatch.kernel.uniforms;
        if (words !== null) {
          entries.push({
            binding: entries.length,
            resource: { buffer: uniforms.buffer, offset: uniforms.offsets[index]!, size: words.byteLength },
          });
        }
        const label = `${dispatch.nodeId} ${dispatch.kernel.name}`;
        return {
          nodeId: dispatch.nodeId,
          pipeline: pipelines[index]!,
          bindGroup: device.gpu.createBindGroup({ label, layout: device.pipelines.layout(dispatch.kernel), entries }),
          grid: dispatch.kernel.grid,
          label,
        };
      }),
    }));
    return new Executor(plan, device, phases, uniforms.buffer);
  }

  /** Encodes one step, a pass for each phase. `timestamps` gives each pass its two queries. */
  encode(encoder: GPUCommandEncoder, timestamps?: (phase: PlanPhase) => PassTimestamps | undefined): void {
    for (const { phase, dispatches } of this.#phases) encodePass(encoder, phase, dispatches, timestamps?.(phase));
  }

  free(): void {
    this.device.free(this.#uniforms);
  }
}

function groupByNode(phase: PlanPhase, dispatches: readonly Ready[]): ExecutorOp[] {
  const groups: { nodeId: string; dispatches: Ready[] }[] = [];
  for (const dispatch of dispatches) {
    const last = groups.at(-1);
    if (last?.nodeId === dispatch.nodeId) last.dispatches.push(dispatch);
    else groups.push({ nodeId: dispatch.nodeId, dispatches: [dispatch] });
  }
  return groups.map((group) => ({
    nodeId: group.nodeId,
    phase,
    dispatches: group.dispatches.length,
    encode: (encoder, timestamps) => encodePass(encoder, group.nodeId, group.dispatches, timestamps),
  }));
}

function encodePass(
  encoder: GPUCommandEncoder,
  label: string,
  dispatches: readonly Ready[],
  timestampWrites: PassTimestamps | undefined,
): void {
  const pass = encoder.beginComputePass(timestampWrites === undefined ? { label } : { label, timestampWrites });
  let current: GPUComputePipeline | null = null;
  for (const { pipeline, bindGroup, grid } of dispatches) {
    if (pipeline !== current) pass.setPipeline(current = pipeline);
    pass.setBindGroup(0, bindGroup);
    pass.dispatchWorkgroups(...grid);
  }
  pass.end();
}

function resolve(location: Location, buffers: BufferSource, slots: SlotPool): GPUBuffer {
  if (typeof location.buffer !== "string") return slots.buffer(location.buffer.slot);
  const buffer = buffers.get(location.buffer);
  if (buffer === undefined) throw new Error(`The plan binds ${location.buffer}, which was not given`);
  return buffer;
}

/** Bytes of all uniforms of a plan, each at an aligned offset. */
function uniformBytes(dispatches: readonly Dispatch[]): number {
  return dispatches.reduce((sum, dispatch) => sum + roundUp(dispatch.kernel.uniforms?.byteLength ?? 0, 256), 0);
}

function uploadUniforms(device: Device, dispatches: readonly Dispatch[]): { buffer: GPUBuffer; offsets: number[] } {
  const words = new Uint32Array(Math.max(4, uniformBytes(dispatches) / 4));
  const offsets: number[] = [];
  let offset = 0;
  for (const { kernel } of dispatches) {
    offsets.push(offset);
    if (kernel.uniforms === null) continue;
    words.set(kernel.uniforms, offset / 4);
    offset += roundUp(kernel.uniforms.byteLength, 256);
  }
  const buffer = device.buffer("uniforms", words.byteLength, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST);
  device.write(buffer, 0, words);
  return { buffer, offsets };
}
