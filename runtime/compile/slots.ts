/** A tensor or scratch buffer that lives from the dispatch `first` to the dispatch `last`, both included. */
export interface Lifetime {
  readonly bytes: number;
  readonly first: number;
  readonly last: number;
}

/**
 * Assigns lifetimes to as few bytes of slots as a greedy choice finds: by falling size, each into the free slot that
 * fits tightest ("greedy by size for shared objects" in Y. Pisarchyk and J. Lee, "Efficient Memory Management for Deep
 * Neural Net Inference", MLSys 2020). A slot is a buffer of its own, since WebGPU refuses a buffer that is read and
 * written in one dispatch even where the ranges are apart.
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
