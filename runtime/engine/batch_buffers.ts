import { InputError } from "../core/errors.ts";
import type { BatchTensors } from "../data/shared.ts";
import type { FieldUpload } from "../record/copies.ts";
import type { IndexLimit, Plan } from "../compile/plan.ts";
import type { Device } from "../device/device.ts";
import { bufferBytes, isSameType, type TensorType } from "../graph/types.ts";
import type { Placement } from "./placement.ts";

/** A field of the batch with its buffer. */
export interface Field {
  readonly name: string;
  readonly type: TensorType;
  readonly buffer: GPUBuffer;
  /** Bytes of the field in one batch. */
  readonly bytes: number;
  /** Embedding that the field is looked up in. */
  readonly limit?: IndexLimit | undefined;
}

const USAGE = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
const STAGING_USAGE = GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;

/** Batches on the device: a buffer for each field, with room for one or several batches. */
export class BatchBuffers {
  readonly #device: Device;
  #fields: readonly Field[];
  #own: readonly Field[];
  readonly #batches: number;

  private constructor(device: Device, fields: readonly Field[], own: readonly Field[], batches = 1) {
    this.#device = device;
    this.#batches = batches;
    this.#fields = fields;
    this.#own = own;
  }

  /**
   * Allocates the batch that a plan reads.
   *
   * @param plan its fields
   * @param shared batch of another plan, whose fields of the same type are reused
   */
  static of(
    device: Device,
    { inputs, indices }: Pick<Plan, "inputs" | "indices">,
    label: string,
    shared?: BatchBuffers,
  ): BatchBuffers {
    const own: Field[] = [];
    const fields = Object.entries(inputs).map(([name, type]) => {
      const known = shared?.field(name);
      if (isSameType(known?.type, type)) return known!;
      const bytes = bufferBytes(type);
      const field = {
        name,
        type,
        buffer: device.buffer(`${label}.${name}`, bytes, USAGE),
        bytes,
        limit: indices[name],
      };
      own.push(field);
      return field;
    });
    return new BatchBuffers(device, fields, own);
  }

  /** Allocates staging buffers for `count` batches with the same fields. */
  staging(count: number, label: string): BatchBuffers {
    const fields = this.#fields.map((field) => ({
      ...field,
      buffer: this.#device.buffer(`${label}.${field.name}`, field.bytes * count, STAGING_USAGE),
    }));
    return new BatchBuffers(this.#device, fields, fields, count);
  }

  field(name: string): Field | undefined {
    return this.#fields.find((field) => field.name === name);
  }

  /** Buffers by the names under which plans bind them. */
  get bindings(): [string, GPUBuffer][] {
    return this.#fields.map(({ name, buffer }) => [`batch.${name}`, buffer]);
  }

  /**
   * Uploads the fields that the plan reads as batch number `at`, and returns when each upload began and ended.
   *
   * @throws {InputError} if the batch lacks one of them, or an index is beyond the embedding
   */
  write(tensors: BatchTensors, at = 0): FieldUpload[] {
    return this.#fields.map(({ name, buffer, bytes, limit }) => {
      const data = tensors[name];
      if (data === undefined) throw missing(name, tensors);
      const start = performance.now();
      if (limit !== undefined) checkIndices(name, data, limit);
      this.#device.write(buffer, at * bytes, data);
      return { name, start, end: performance.now() };
    });
  }

  /** Encodes a copy of the batches from number `at` that fill `to`, which has the same fields. */
  copy(encoder: GPUCommandEncoder, at: number, to: BatchBuffers): void {
    for (let i = 0; i < this.#fields.length; i++) {
      const { buffer, bytes } = this.#fields[i]!;
      this.#device.copy(encoder, buffer, at * bytes, to.#fields[i]!.buffer, 0, bytes * to.#batches);
    }
  }

  /**
   * Allocates its own buffers anew and copies their content. Executors must be created again; buffers that it shares keep
   * their place.
   */
  relocate(placement: Placement): void {
    const encoder = this.#device.gpu.createCommandEncoder({ label: "relocate batch" });
    const moved = new Map(
      placement.shuffle(this.#own).map((field) => {
        const buffer = placement.like(field.buffer);
        encoder.copyBufferToBuffer(field.buffer, 0, buffer, 0, buffer.size);
        return [field, { ...field, buffer }];
      }),
    );
    this.#device.submit(encoder);
    this.free();
    this.#fields = this.#fields.map((field) => moved.get(field) ?? field);
    this.#own = this.#own.map((field) => moved.get(field)!);
  }

  /** Frees the buffers that it allocated, but not shared ones. */
  free(): void {
    for (const { buffer } of this.#own) this.#device.free(buffer);
  }
}

/** @throws {InputError} at the first index that is no row of the embedding */
function checkIndices(name: string, data: ArrayLike<number>, { layer, least, rows }: IndexLimit): void {
  for (let i = 0; i < data.length; i++) {
    const index = data[i]!;
    if (index >= least && index < rows) continue;
    throw new InputError(
      `model: layer "${layer}": the embedding has ${rows} rows, but "${name}" of the batch has ${index} at element ` +
        `${i}; expected ${least} to ${rows - 1}. Make the embedding as large as the vocabulary of the data`,
    );
  }
}

function missing(name: string, tensors: BatchTensors): InputError {
  return new InputError(
    `model: reads the field "${name}", which the data does not have; its fields are ${Object.keys(tensors).join(", ")}`,
  );
}
