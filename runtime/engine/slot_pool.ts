import type { Device } from "../device/device.ts";
import type { Placement } from "./placement.ts";

const USAGE = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;

/**
 * Activation slots shared by the plans of all variants. Only one plan runs at a time, and no value in a slot outlives a
 * step. Slot n of the pool is as large as the largest n-th slot of any plan.
 */
export class SlotPool {
  readonly #device: Device;
  #sizes: number[] = [];
  #buffers: GPUBuffer[] = [];
  readonly #outgrown: GPUBuffer[] = [];

  constructor(device: Device) {
    this.#device = device;
  }

  /** Reserves a plan's slots, given largest first. Reserve the slots of all plans before creating an executor. */
  reserve(slots: readonly number[]): void {
    this.#sizes = mergeSlots([this.#sizes, slots]);
  }

  /** Returns the buffer of a slot, allocated on first use. */
  buffer(slot: number): GPUBuffer {
    const size = this.#sizes[slot];
    if (size === undefined) throw new Error(`Slot ${slot} was not reserved`);
    const known = this.#buffers[slot];
    if (known !== undefined && known.size >= size) return known;
    // Executors that bind the smaller buffer keep it
    if (known !== undefined) this.#outgrown.push(known);
    return this.#buffers[slot] = this.#device.buffer(`slot${slot}`, size, USAGE);
  }

  /** Allocates all slots in use again. Executors must be created again. */
  relocate(placement: Placement): void {
    const used = [...this.#buffers.keys()].filter((slot) => this.#buffers[slot] !== undefined);
    this.#freeBuffers();
    for (const slot of placement.shuffle(used)) {
      this.#buffers[slot] = placement.buffer(`slot${slot}`, this.#sizes[slot]!, USAGE);
    }
  }

  /** Frees all slots, including outgrown ones, and drops all reservations. Executors must be created again. */
  free(): void {
    this.#freeBuffers();
    this.#sizes = [];
  }

  #freeBuffers(): void {
    for (const buffer of [...this.#buffers, ...this.#outgrown]) if (buffer !== undefined) this.#device.free(buffer);
    this.#buffers = [];
    this.#outgrown.length = 0;
  }
}

/** Returns the sizes of slots that serve several plans, each given largest first. */
export function mergeSlots(plans: readonly (readonly number[])[]): number[] {
  const merged: number[] = [];
  for (const slots of plans) slots.forEach((size, i) => merged[i] = Math.max(merged[i] ?? 0, size));
  return merged;
}
