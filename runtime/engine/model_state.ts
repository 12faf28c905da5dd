import { type DType, DTYPE_BYTES } from "../core/dtype.ts";
import { decode, encode } from "../core/f16.ts";
import { InputError } from "../core/errors.ts";
import { toLogical, toPhysical } from "../core/layout.ts";
import { suggestion } from "../core/nearest.ts";
import { roundUp } from "../core/round_up.ts";
import { formatShape, sameShape, type Shape, sizeOf } from "../core/shape.ts";
import { averageCopyBytes } from "../compile/average.ts";
import { LOSS_RING_BYTES } from "../compile/update.ts";
import type { ArenaEntry, Plan } from "../compile/plan.ts";
import { isSameType } from "../graph/types.ts";
import type { Device } from "../device/device.ts";
import { type BufferRange, Readback } from "../device/readback.ts";
import { initialize } from "../nn/initialize.ts";
import { LOSS_RING_STEPS, LOSS_RING_WORDS, StepWord } from "../../ops/optimizer/step_state.ts";
import type { Placement } from "./placement.ts";

/** An f32 tensor on the host. */
export interface HostTensor {
  /** Logical shape; `[]` for a scalar. */
  readonly shape: Shape;
  /** Values in row-major order. */
  readonly data: Float32Array;
}

/** Loss and loss scaling of a step, as the device records them in the loss ring. */
export interface StepOutcome {
  /** Mean loss of the batch. */
  readonly loss: number;
  /** Factor on the loss and on the gradients. */
  readonly lossScale: number;
  /** True if the update was skipped because a gradient was not finite. */
  readonly skipped: boolean;
  /** Factor of the schedule on the learning rate; a trainer returns 1 without a schedule, the loss ring has 0. */
  readonly rateFactor: number;
}

/** Device-side copies of all state that a step changes. */
export interface StateSnapshot {
  readonly steps: number;
  readonly buffers: ReadonlyMap<string, GPUBuffer>;
}

/** Arena of f32 values for the parameters, which may be f16. */
export type WideArena = "averages" | `optimizer${number}`;

type Arena = "parameters" | "state" | "gradients" | WideArena;

/**
 * State of a model on the device: weights, gradients, optimizer state, running statistics and step state. Several plans
 * can share one state.
 */
export class ModelState {
  #buffers: ReadonlyMap<string, GPUBuffer>;
  /** Number of steps that feeds have run; equal to the device's count. */
  steps = 0;
  readonly #device: Device;
  readonly #plan: Plan;

  /** Allocates and initialises the state. Random values depend on the seed and the parameter's name only. */
  constructor(device: Device, plan: Plan, options: { seed: number; lossScale: number; label: string }) {
    this.#device = device;
    this.#plan = plan;
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const buffers = new Map<string, GPUBuffer>();
    const make = (name: string, size: number) => {
      if (size > 0) buffers.set(name, device.buffer(`${options.label}.${name}`, size, usage));
    };
    make("parameters", plan.parameters.bytes);
    make("state", plan.state.bytes);
    const trains = plan.segments.some((segment) => segment.phase === "backward");
    if (trains) make("gradients", plan.parameters.bytes);
    if (plan.accumulate > 1) make("microGradients", plan.parameters.bytes);
    plan.optimizerStates.forEach((bytes, n) => make(`optimizer${n}`, bytes));
    make("step", plan.stepBytes);
    make("lossRing", LOSS_RING_BYTES);
    make("gradientTable", plan.gradientTable?.byteLength ?? 0);
    make("normPartials", plan.clipBytes);
    make("averages", plan.averageBytes);
    make("averagesCopy", averageCopyBytes(plan));
    this.#buffers = buffers;

    if (plan.gradientTable !== null) device.write(buffers.get("gradientTable")!, 0, plan.gradientTable);
    for (const arena of ["parameters", "state"] as const) {
      for (const entry of plan[arena].entries) {
        this.#write(arena, entry, initialize(entry.initializer, entry.type.shape, options.seed, entry.name));
      }
    }
    const step = new Uint32Array(this.stepWords);
    step[StepWord.seed] = options.seed >>> 0;
    new Float32Array(step.buffer)[StepWord.lossScale] = options.lossScale;
    device.write(buffers.get("step")!, 0, step);
  }

  /** Buffers by the names under which plans bind them. */
  get buffers(): ReadonlyMap<string, GPUBuffer> {
    return this.#buffers;
  }

  /**
   * Returns the buffers that a plan binds. Plans of one model share the state if their parameters and buffers have the
   * same places, such as one for a prompt and one for each token after it: what one writes, the others read.
   *
   * @throws {InputError} if a parameter or buffer of the plan has no place in the state, or another one
   */
  buffersFor(plan: Plan): ReadonlyMap<string, GPUBuffer> {
    for (const arena of ["parameters", "state"] as const) {
      const known = new Map(this.#plan[arena].entries.map((entry) => [entry.name, entry]));
      for (const { name, type, offset } of plan[arena].entries) {
        const own = known.get(name);
        if (own?.offset === offset && isSameType(own.type, type)) continue;
        throw new InputError(
          `model: ${
            own === undefined ? "has" : "changes the type or place of"
          } "${name}" only in some modes or for some ` +
            `shapes of the batch; make all parameters and buffers in every mode, with the same types and in the same order`,
        );
      }
    }
    if (plan.stepBytes > this.#plan.stepBytes) {
      throw new InputError(
        "model: reads the position only in some modes or for some shapes of the batch; read it in all",
      );
    }
    return this.#buffers;
  }

  /** Moving averages of the parameters, in the type of the parameters. The plan must have them. */
  get averaged(): GPUBuffer {
    return this.buffers.get("averagesCopy") ?? this.buffers.get("averages")!;
  }

  /** Shapes of the parameters and running values, by name. */
  get shapes(): ReadonlyMap<string, Shape> {
    return shapesOf(this.#plan);
  }

  /** Types in which the device keeps the parameters and running values, by name. */
  get dtypes(): ReadonlyMap<string, DType> {
    const { parameters, state } = this.#plan;
    return new Map([...parameters.entries, ...state.entries].map(({ name, type }) => [name, type.dtype]));
  }

  /**
   * Uploads values by name. Tensors without a new value keep theirs.
   *
   * @throws {InputError} if the model has no tensor of this name and shape; nothing is changed then
   */
  load(tensors: ReadonlyMap<string, HostTensor>): void {
    const known = new Map<string, ["parameters" | "state", ArenaEntry]>();
    for (const arena of ["parameters", "state"] as const) {
      for (const entry of this.#plan[arena].entries) known.set(entry.name, [arena, entry]);
    }
    for (const [name, tensor] of tensors) {
      const place = known.get(name);
      if (place === undefined) {
        throw new InputError(
          `loadParameters: the model has no parameter "${name}"${suggestion(name, [...known.keys()])}`,
        );
      }
      const [, entry] = place;
      if (!sameShape(tensor.shape, entry.type.shape) || tensor.data.length !== sizeOf(entry.type.shape)) {
        throw new InputError(
          `loadParameters: "${name}" has shape ${formatShape(tensor.shape)} with ${tensor.data.length} values, ` +
            `expected ${formatShape(entry.type.shape)} with ${sizeOf(entry.type.shape)}`,
        );
      }
    }
    for (const [name, tensor] of tensors) this.#write(...known.get(name)!, tensor.data);
  }

  /** Reads an arena back, by name. Every value is divided by `scale`, since gradients carry the loss scale. */
  async read(arena: Arena, scale = 1): Promise<Map<string, HostTensor>> {
    const layout = arena === "state" ? this.#plan.state : this.#plan.parameters;
    const buffer = this.buffers.get(arena);
    const result = new Map<string, HostTensor>();
    if (buffer === undefined || layout.bytes === 0) return result;
    const [bytes] = await this.#device.read([{ buffer, offset: 0, size: buffer.size }]);
    const wide = this.wideArenas.some((name) => name === arena);
    const wider = wide ? this.#wider : 1;
    for (const { name, type, offset, size } of layout.entries) {
      const part = bytes!.slice(offset * wider, (offset + size) * wider);
      const physical = decode(part, wide ? "f32" : type.dtype) as Float32Array<ArrayBuffer>;
      const data = toLogical(physical, type.shape, type.layout);
      result.set(name, { shape: type.shape, data: scale === 1 ? data : data.map((value) => value / scale) });
    }
    return result;
  }

  /** Names of the arenas that keep f32 values for each parameter. */
  get wideArenas(): WideArena[] {
    const names = this.#plan.optimizerStates.map((_, n) => `optimizer${n}` as const);
    return this.#plan.averageBytes > 0 ? [...names, "averages"] : names;
  }

  /** Names of the parameters. */
  get parameterNames(): string[] {
    return this.#plan.parameters.entries.map(({ name }) => name);
  }

  /** Uploads the values of a parameter in an arena of f32 values. */
  writeWide(arena: WideArena, name: string, values: Float32Array): void {
    const { type: { shape, layout, dtype }, offset } = this.#plan.parameters.entries.find((entry) =>
      entry.name === name
    )!;
    const physical = toPhysical(values, shape, layout);
    this.#upload(arena, offset * this.#wider, physical, "f32");
    if (arena === "averages") this.#upload("averagesCopy", offset, physical, dtype);
  }

  /** Size of the step state in 32-bit words. */
  get stepWords(): number {
    return this.#plan.stepBytes / 4;
  }

  /** Reads the step state. */
  async readStep(): Promise<Uint32Array<ArrayBuffer>> {
    const [bytes] = await this.#device.read([{
      buffer: this.buffers.get("step")!,
      offset: 0,
      size: this.stepWords * 4,
    }]);
    return new Uint32Array(bytes!);
  }

  /** Moves to a place in the sequence, such as 0 for a new one. The plan must read the position. */
  seek(position: number): void {
    this.#device.write(this.buffers.get("step")!, StepWord.position * 4, Int32Array.of(position));
  }

  /** Uploads a step state, but for the seed. */
  writeStep(words: Uint32Array<ArrayBuffer>): void {
    this.#device.write(this.buffers.get("step")!, 4, words.subarray(StepWord.seed + 1));
  }

  /** Reads the outcomes of steps `first` to `first + count - 1`. The device keeps the last 4096. */
  async outcomes(first: number, count: number): Promise<StepOutcome[]> {
    const parts = await this.#device.read(this.#outcomeRanges(first, count));
    return parts.flatMap(decodeOutcomes);
  }

  /** Prepares a readback of the outcomes of these steps, for {@linkcode decodeOutcomes}. */
  readback(first: number, count: number): Readback {
    return new Readback(this.#device, this.#outcomeRanges(first, count));
  }

  #outcomeRanges(first: number, count: number): BufferRange[] {
    const buffer = this.buffers.get("lossRing")!;
    return ringRanges(first, count).map((range) => ({ buffer, ...range }));
  }

  /** Copies all state that a step changes, for {@linkcode ModelState.restore}. */
  snapshot(): StateSnapshot {
    const copies = new Map<string, GPUBuffer>();
    const encoder = this.#device.gpu.createCommandEncoder({ label: "snapshot" });
    for (const [name, buffer] of this.buffers) {
      if (name === "gradients" || name === "microGradients" || name === "gradientTable") continue;
      const copy = this.#device.buffer(
        `snapshot.${name}`,
        buffer.size,
        GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
      );
      encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
      copies.set(name, copy);
    }
    this.#device.submit(encoder);
    return { steps: this.steps, buffers: copies };
  }

  /** Restores a snapshot and frees it. */
  restore({ steps, buffers }: StateSnapshot): void {
    const encoder = this.#device.gpu.createCommandEncoder({ label: "restore" });
    for (const [name, copy] of buffers) {
      encoder.copyBufferToBuffer(copy, 0, this.buffers.get(name)!, 0, copy.size);
    }
    this.#device.submit(encoder);
    for (const copy of buffers.values()) this.#device.free(copy);
    this.steps = steps;
  }

  /**
   * Allocates all buffers again. Executors must be created again.
   *
   * @returns a function that copies the state over and frees the old buffers; until then, the new ones may be overwritten
   */
  relocate(placement: Placement): () => void {
    const before = this.#buffers;
    this.#buffers = new Map(placement.shuffle([...before]).map(([name, buffer]) => [name, placement.like(buffer)]));
    return () => {
      const encoder = this.#device.gpu.createCommandEncoder({ label: "relocate state" });
      for (const [name, buffer] of before) {
        encoder.copyBufferToBuffer(buffer, 0, this.#buffers.get(name)!, 0, buffer.size);
      }
      this.#device.submit(encoder);
      for (const buffer of before.values()) this.#device.free(buffer);
    };
  }

  free(): void {
    for (const buffer of this.buffers.values()) this.#device.free(buffer);
  }

  /** Uploads a tensor. The averages of a parameter start at its value. */
  #write(arena: "parameters" | "state", entry: ArenaEntry, values: Float32Array): void {
    const { shape, dtype, layout } = entry.type;
    this.#upload(arena, entry.offset, toPhysical(values, shape, layout), dtype);
    if (arena === "parameters" && this.buffers.has("averages")) this.writeWide("averages", entry.name, values);
  }

  /** Uploads values to a buffer, if the plan has it. */
  #upload(name: string, offset: number, physical: ArrayLike<number>, dtype: DType): void {
    const buffer = this.buffers.get(name);
    if (buffer === undefined) return;
    const bytes = new Uint8Array(encode(physical, dtype));
    const padded = roundUp(bytes.length, 4);
    if (padded === bytes.length) return this.#device.write(buffer, offset, bytes);
    const words = new Uint8Array(padded);
    words.set(bytes);
    this.#device.write(buffer, offset, words);
  }

  /** Ratio of the size of an f32 to that of a parameter's element. */
  get #wider(): number {
    return DTYPE_BYTES.f32 / DTYPE_BYTES[this.#plan.parameters.dtype];
  }
}

/** Returns the shapes of a plan's parameters and running values, by name. */
export function shapesOf({ parameters, state }: Plan): ReadonlyMap<string, Shape> {
  return new Map([...parameters.entries, ...state.entries].map(({ name, type }) => [name, type.shape]));
}

/** Returns the byte ranges of the loss ring that hold the outcomes of `count` steps from `first`. */
export function ringRanges(first: number, count: number): { offset: number; size: number }[] {
  const kept = Math.min(count, LOSS_RING_STEPS);
  const bytes = LOSS_RING_WORDS * 4;
  const start = (first + count - kept) % LOSS_RING_STEPS;
  const head = Math.min(kept, LOSS_RING_STEPS - start);
  const ranges = [{ offset: start * bytes, size: head * bytes }];
  if (head < kept) ranges.push({ offset: 0, size: (kept - head) * bytes });
  return ranges;
}

/** Decodes entries of the loss ring. */
export function decodeOutcomes(bytes: ArrayBuffer): StepOutcome[] {
  const values = new Float32Array(bytes);
  return Array.from({ length: values.length / LOSS_RING_WORDS }, (_, i) => ({
    loss: values[i * LOSS_RING_WORDS]!,
    lossScale: values[i * LOSS_RING_WORDS + 1]!,
    skipped: values[i * LOSS_RING_WORDS + 2]! !== 0,
    rateFactor: values[i * LOSS_RING_WORDS + 3]!,
  }));
}
