import { RandomStream, streamKey } from "../../core/random.ts";
import type { BatchPlan } from "./batch_plan.ts";

/** Order of samples in an epoch. It depends on the seed and the epoch only; the last one is cached. */
export class EpochOrder {
  readonly #plan: BatchPlan;
  readonly #key: number;
  #order: Uint32Array | null = null;
  #epoch = -1;

  constructor(plan: BatchPlan) {
    this.#plan = plan;
    this.#key = streamKey(plan.seed, "data/shuffle");
  }

  /** Returns the order of samples; null without shuffling. */
  of(epoch: number): Uint32Array | null {
    const { shuffle, source, shuffleBuffer } = this.#plan;
    if (!shuffle) return null;
    if (this.#order === null || this.#epoch !== epoch) {
      const stream = new RandomStream(this.#key, epoch);
      this.#order = source.sequential
        ? bufferedOrder(stream, source.length, shuffleBuffer)
        : stream.permutation(source.length);
      this.#epoch = epoch;
    }
    return this.#order;
  }
}

/**
 * Shuffles 0 .. n - 1 through a buffer of `size` samples: the buffer is filled in order, and each place takes a random one
 * of them. So sample i comes at place i - size + 1 at the earliest.
 */
export function bufferedOrder(stream: RandomStream, n: number, size: number): Uint32Array {
  const order = new Uint32Array(n);
  const buffer: number[] = [];
  let next = 0;
  for (let place = 0; place < n; place++) {
    while (buffer.length < size && next < n) buffer.push(next++);
    const at = stream.below(buffer.length);
    order[place] = buffer[at]!;
    buffer[at] = buffer.at(-1)!;
    buffer.pop();
  }
  return order;
}
