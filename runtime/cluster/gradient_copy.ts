import type { BucketRange } from "../compile/gradient_buckets.ts";
import type { FloatType } from "../core/dtype.ts";
import { DTYPE_BYTES } from "../core/dtype.ts";
import { DeviceError } from "../core/errors.ts";
import type { Device } from "../device/device.ts";

/** Values that ranks exchange: sums in f32, or compressed means in f16. */
export type SharedValues = Float32Array<SharedArrayBuffer> | Float16Array<SharedArrayBuffer>;

/** Ranges of the gradients, and the values that ranks exchange for them. */
export interface CopiedRanges {
  readonly ranges: readonly BucketRange[];
  readonly values: SharedValues;
}

/** Copies gradients between the device and the memory from which MPI sends, through a mapped buffer that is kept. */
export class GradientCopy {
  readonly #device: Device;
  readonly #dtype: FloatType;
  readonly #parts: readonly CopiedRanges[];
  readonly #staging: GPUBuffer;
  #mapped: Promise<unknown> | null = null;

  constructor(device: Device, dtype: FloatType, parts: readonly CopiedRanges[]) {
    this.#device = device;
    this.#dtype = dtype;
    this.#parts = parts;
    const bytes = parts.flatMap(({ ranges }) => ranges).reduce((sum, { size }) => sum + size, 0);
    this.#staging = device.buffer("gradients of ranks", bytes, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
  }

  /** Encodes the copies from the gradients. */
  encode(encoder: GPUCommandEncoder, gradients: GPUBuffer): void {
    let at = 0;
    for (const { offset, size } of this.#parts.flatMap(({ ranges }) => ranges)) {
      this.#device.copy(encoder, gradients, offset, this.#staging, at, size);
      at += size;
    }
  }

  /** Blocks until all work submitted so far is done. */
  wait(): void {
    const { counts } = this.#device;
    counts.readbacks++;
    counts.readbackBytes += this.#staging.size;
    this.#mapped = this.#staging.mapAsync(GPUMapMode.READ).then(() => null, (error: unknown) => error);
  }

  /**
   * Copies the gradients to the shared values, after `wait`.
   *
   * @throws {DeviceError} if the device was lost or refused a command
   */
  async read(): Promise<void> {
    const error = await this.#mapped;
    if (error !== null) {
      await this.#device.settle();
      throw new DeviceError(`Reading gradients failed: ${error instanceof Error ? error.message : error}`);
    }
    const mapped = this.#staging.getMappedRange();
    let at = 0;
    for (const { ranges, values } of this.#parts) {
      let next = 0;
      for (const { size } of ranges) {
        const part = this.#view(mapped, at, size);
        values.set(part, next);
        next += part.length;
        at += size;
      }
    }
    this.#staging.unmap();
  }

  /** Writes means to the gradients. */
  write({ ranges, values }: CopiedRanges, gradients: GPUBuffer, scale: number): void {
    const bytes = new ArrayBuffer(ranges.reduce((sum, { size }) => sum + size, 0));
    const means = this.#view(bytes, 0, bytes.byteLength);
    for (let i = 0; i < means.length; i++) means[i] = values[i]! * scale;
    let at = 0;
    for (const { offset, size } of ranges) {
      this.#device.write(gradients, offset, new Uint8Array(bytes, at, size));
      at += size;
    }
  }

  #view(bytes: ArrayBuffer, offset: number, size: number): Float32Array<ArrayBuffer> | Float16Array<ArrayBuffer> {
    const count = size / DTYPE_BYTES[this.#dtype];
    return this.#dtype === "f16" ? new Float16Array(bytes, offset, count) : new Float32Array(bytes, offset, count);
  }

  free(): void {
    this.#device.free(this.#staging);
  }
}
