/** A tensor or scratch buffer that is in use from node `first` to node `last`, both included. */
export interface Lifetime {
  readonly bytes: number;
  readonly first: number;
  readonly last: number;
}

/**
 * Assigns lifetimes to slots greedily: in order of decreasing size, each to the smallest free slot that holds it
 * ("greedy by size for shared objects" in Y. Pisarchyk and J. Lee, "Efficient Memory Management for Deep Neural Net
 * Inference", MLSys 2020). Each slot is a separate buffer, because WebGPU rejects a dispatch that reads and writes one
 * buffer even if the ranges do not overlap.
 *
 * @returns bytes of each slot, largest first, and the slot of each lifetime
 */
export function assignSlots(lifetimes: readonly Lifetime[]): { slots: number[]; assignment: number[] } {
  const order = lifetimes.map((_, i) => i).sort((a, b) => {
    const [x, y] = [lifetimes[a]!, lifetimes[b]!];
    return y.bytes - x.bytes || x.first - y.first || a - b;
  });
  const slots: { bytes: number; taken: Lifetime[] }[] = [];
  const assignment = new Array<number>(lifetimes.length).fill(-1);
  for (const i of order) {
    const lifetime = lifetimes[i]!;
    let best = -1;
    slots.forEach((slot, s) => {
      const free = slot.taken.every((other) => lifetime.last < other.first || other.last < lifetime.first);
      if (free && (best < 0 || slot.bytes < slots[best]!.bytes)) best = s;
    });
    if (best < 0) {
      best = slots.length;
      slots.push({ bytes: lifetime.bytes, taken: [] });
    }
    slots[best]!.taken.push(lifetime);
    assignment[i] = best;
  }
  return { slots: slots.map((slot) => slot.bytes), assignment };
}
