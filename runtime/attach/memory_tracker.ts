import type { BufferGroup, PeakBuffer } from "./records.ts";

/** Growth of the peak after which its largest buffers are looked up again. */
const GROWTH = 1.01;

/** Buffers that are listed at the peak. */
const LARGEST = 10;

/** Creations that are listed of the buffers that a group has not destroyed. */
const MAX_KEPT = 2000;

type MutableGroup = { -readonly [K in keyof BufferGroup]: BufferGroup[K] };

/** A buffer that has not been destroyed. */
export interface LiveBuffer {
  readonly size: number;
  readonly mappedAtCreation: boolean;
  readonly created: number;
  readonly cuts: number;
  readonly group: MutableGroup;
  live: boolean;
}

export interface BufferFacts {
  readonly label: string;
  readonly size: number;
  readonly usage: number;
  readonly line: string | null;
  readonly mappedAtCreation: boolean;
  /** Time of creation, and cuts of the device before it. */
  readonly created: number;
  readonly cuts: number;
}

/** Memory of a device's buffers: current, peak, and never destroyed. */
export class MemoryTracker {
  readonly #groups = new Map<string, MutableGroup>();
  readonly #live = new Set<LiveBuffer>();
  readonly #collected = new Map<MutableGroup, number[]>();
  #bytes = 0;
  #peak = 0;
  #kept = 0;
  #keptPeak = 0;
  #peakTime = 0;
  #listedPeak = 0;
  #largest: readonly PeakBuffer[] = [];

  get bytes(): number {
    return this.#bytes;
  }

  get peak(): number {
    return this.#peak;
  }

  /** Peak of the bytes that the program has not destroyed, which does not depend on the garbage collector. */
  get keptPeak(): number {
    return this.#keptPeak;
  }

  create(facts: BufferFacts): LiveBuffer {
    const { label, size, usage, line } = facts;
    const key = JSON.stringify([label, size, usage, line]);
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { label, size, usage, line, created: 0, destroyed: 0, collected: 0, kept: [] };
      this.#groups.set(key, group);
    }
    group.created++;
    const buffer = { ...facts, group, live: true };
    this.#live.add(buffer);
    this.#bytes += size;
    this.#kept += size;
    this.#keptPeak = Math.max(this.#keptPeak, this.#kept);
    if (this.#bytes > this.#peak) {
      this.#peak = this.#bytes;
      this.#peakTime = facts.created;
    }
    return buffer;
  }

  destroy(buffer: LiveBuffer): void {
    if (!buffer.live) return;
    buffer.group.destroyed++;
    this.#kept -= buffer.size;
    this.#remove(buffer);
  }

  /** Notes that the garbage collector has freed a buffer that was never destroyed. */
  collect(buffer: LiveBuffer): void {
    if (!buffer.live) return;
    buffer.group.collected++;
    const cuts = this.#collected.get(buffer.group) ?? [];
    this.#collected.set(buffer.group, cuts);
    if (cuts.length < MAX_KEPT) cuts.push(buffer.cuts);
    this.#remove(buffer);
  }

  /** Returns the peak with its largest buffers, and all groups of buffers. */
  state(): { peakTime: number; largest: readonly PeakBuffer[]; buffers: readonly BufferGroup[] } {
    this.#list();
    const kept = new Map<BufferGroup, number[]>(); // Node 20 has no Map.groupBy
    for (const { group, cuts } of this.#live) {
      const list = kept.get(group) ?? [];
      if (list.length === 0) kept.set(group, list);
      if (list.length < MAX_KEPT) list.push(cuts);
    }
    const buffers = [...this.#groups.values()].map((group) => ({
      ...group,
      kept: [
        ...this.#collected.get(group) ?? [],
        ...kept.get(group) ?? [],
      ].sort((a, b) => a - b),
    }));
    return { peakTime: this.#peakTime, largest: this.#largest, buffers };
  }

  #remove(buffer: LiveBuffer): void {
    this.#list();
    buffer.live = false;
    this.#live.delete(buffer);
    this.#bytes -= buffer.size;
  }

  /** Lists the largest buffers while memory is at a new peak. */
  #list(): void {
    if (this.#bytes < this.#peak || this.#peak < this.#listedPeak * GROWTH) return;
    if (this.#peak === this.#listedPeak) return;
    this.#listedPeak = this.#peak;
    this.#largest = [...this.#live].sort((a, b) => b.size - a.size).slice(0, LARGEST).map(({ group, created }) => ({
      label: group.label,
      size: group.size,
      usage: group.usage,
      line: group.line,
      created,
    }));
  }
}
