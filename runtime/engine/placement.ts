import type { RandomStream } from "../core/random.ts";
import type { Device } from "../device/device.ts";

/** Padding is a multiple of this, the alignment of buffer bindings, in bytes. */
const UNIT = 256;

/** Largest padding in units: 64 KiB, beyond the page size and the way size of common caches. */
const LARGEST = 256;

/**
 * Places buffers of a set-up in memory by chance: in random order, with padding of random size before each (T. Mytkowicz et
 * al., "Producing wrong data without doing anything obviously wrong!", ASPLOS 2009). Padding lasts until
 * {@linkcode Placement.end}, so that it takes no memory during the measurement.
 */
export class Placement {
  readonly #device: Device;
  readonly #stream: RandomStream;
  readonly #padding: GPUBuffer[] = [];

  constructor(device: Device, stream: RandomStream) {
    this.#device = device;
    this.#stream = stream;
  }

  /** Returns items in random order. */
  shuffle<T>(items: readonly T[]): T[] {
    return [...this.#stream.permutation(items.length)].map((index) => items[index]!);
  }

  /** Allocates a buffer after random padding. */
  buffer(label: string, size: number, usage: GPUBufferUsageFlags): GPUBuffer {
    const padding = UNIT * (1 + this.#stream.below(LARGEST));
    this.#padding.push(this.#device.buffer("padding", padding, usage));
    return this.#device.buffer(label, size, usage);
  }

  /** Allocates a buffer like another one, which stays. */
  like({ label, size, usage }: GPUBuffer): GPUBuffer {
    return this.buffer(label, size, usage);
  }

  /** Frees the padding. */
  end(): void {
    for (const buffer of this.#padding.splice(0)) this.#device.free(buffer);
  }
}
