import { DeviceError } from "../core/errors.ts";
import { roundUp } from "../core/round_up.ts";

export interface BufferRange {
  readonly buffer: GPUBuffer;
  /** Offset in bytes, a multiple of 4. */
  readonly offset: number;
  /** Size in bytes. */
  readonly size: number;
}

/** The part of a device that a readback uses. */
export interface ReadDevice {
  readonly counts: { readbacks: number; readbackBytes: number };
  buffer(label: string, size: number, usage: GPUBufferUsageFlags): GPUBuffer;
  free(buffer: GPUBuffer): void;
  copy(
    encoder: GPUCommandEncoder,
    from: GPUBuffer,
    offset: number,
    to: GPUBuffer,
    toOffset: number,
    size: number,
  ): void;
  /** @throws {DeviceError} if the device was lost or refused a command */
  settle(): Promise<void>;
}

/**
 * Copies buffer ranges to the host in three stages, so that the caller can do other work between them: `encode` adds the
 * copies to a submit, `wait` blocks until the device is done, and `finish` resolves about 10 ms later.
 */
export class Readback {
  readonly #device: ReadDevice;
  readonly #ranges: readonly BufferRange[];
  readonly #offsets: number[] = [];
  readonly #staging: GPUBuffer;
  #mapped: Promise<unknown> | null = null;

  constructor(device: ReadDevice, ranges: readonly BufferRange[]) {
    this.#device = device;
    this.#ranges = ranges;
    let total = 0;
    for (const range of ranges) {
      this.#offsets.push(total);
      total += roundUp(range.size, 16);
    }
    this.#staging = device.buffer("readback", total, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
    device.counts.readbacks++;
    device.counts.readbackBytes += total;
  }

  /** Adds the copies to a submit. */
  encode(encoder: GPUCommandEncoder): void {
    this.#ranges.forEach(({ buffer, offset, size }, i) => {
      if (size > 0) this.#device.copy(encoder, buffer, offset, this.#staging, this.#offsets[i]!, roundUp(size, 4));
    });
  }

  /** Blocks until all work submitted so far is done. */
  wait(): void {
    this.#mapped = this.#staging.mapAsync(GPUMapMode.READ).then(() => null, (error: unknown) => error);
  }

  /**
   * Returns the bytes of each range.
   *
   * @throws {DeviceError} if the device was lost or refused a command
   */
  async finish(): Promise<ArrayBuffer[]> {
    if (this.#mapped === null) this.wait();
    const error = await this.#mapped;
    try {
      if (error !== null) {
        await this.#device.settle();
        throw new DeviceError(`Reading results back failed: ${error instanceof Error ? error.message : error}`);
      }
      const mapped = this.#staging.getMappedRange();
      return this.#ranges.map(({ size }, i) => mapped.slice(this.#offsets[i]!, this.#offsets[i]! + size));
    } finally {
      this.#device.free(this.#staging);
    }
  }
}
