import type { Device } from "../device/device.ts";

/**
 * Activation slots that the plans of all variants share: only one of them runs at a time, and nothing in a slot
 * outlives a step. Slot n of the pool is as large as the largest n-th slot of any plan.
 */
export class SlotPool {
  readonly #device: Device;
  #sizes: number[] = [];
  #buffers: GPUBuffer[] = [];
  readonly #outgrown: GPUBuffer[] = [];

  constructor(device: Device) {
    this.#device = device;
  }

  /** Makes room for a plan's slots, given largest first. Reserve for all plans before the first is made real. */
  reserve(slots: readonly number[]): void {
    this.#sizes = mergeSlots([this.#sizes, slots]);
  }

  /** The buffer of a slot, made when first asked for. */
  buffer(slot: number): GPUBuffer {
    const size = this.#sizes[slot];
    if (size === undefined) throw new Error(`Slot ${slot} was not reserved`);
    const known = this.#buffers[slot];
    if (known !== undefined && known.size >= size) return known;
    // Plans that hold the smaller buffer keep it
    if (known !== undefined) this.#outgrown.push(known);
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    return this.#buffers[slot] = this.#device.buffer(`slot${slot}`, size, usage);
  }

  /** Frees all slots, also those too small for a later plan, and forgets what was reserved; plans are made real anew. */
  free(): void {
    for (const buffer of [...this.#buffers, ...this.#outgrown]) if (buffer !== undefined) this.#device.free(buffer);
    this.#buffers = [];
    this.#outgrown.length = 0;
    this.#sizes = [];
  }
}

/** Sizes of slots that serve several plans, each given largest first. */
export function mergeSlots(plans: readonly (readonly number[])[]): number[] {
  const merged: number[] = [];
  for (const slots of plans) slots.forEach((size, i) => merged[i] = Math.max(merged[i] ?? 0, size));
  return merged;
}
