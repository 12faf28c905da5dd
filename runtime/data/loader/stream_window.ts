import { InputError } from "../../core/errors.ts";

/** One pass over what a source has, in its own order. */
export type Stream<T> = AsyncIterable<T> | Iterable<T>;

/**
 * What lies between a stream that comes in one order and batches that ask for its items in another, not far from it:
 * keeps what has come and is yet to be asked for. Each worker has a window of its own, over a stream of its own.
 */
export class StreamWindow<T> {
  readonly #open: (epoch: number) => Stream<T>;
  readonly #length: number;
  readonly #kept = new Map<number, T>();
  #epoch = -1;
  #order: Uint32Array | null = null;
  /** Where in the order an item is asked for: the inverse of the order. */
  #places: Uint32Array | null = null;
  #from = 0;
  #items: AsyncIterator<T> | Iterator<T> | null = null;
  /** Items that have come. */
  #come = 0;

  /**
   * @param open begins an epoch's pass
   * @param length the items of a pass
   */
  constructor(open: (epoch: number) => Stream<T>, length: number) {
    this.#open = open;
    this.#length = length;
  }

  /** From now on items are asked for as `order` says, from place `from` on; see `Source.seek`. */
  seek(epoch: number, order: Uint32Array | null, from: number): void {
    if (epoch !== this.#epoch || from < this.#from) this.#restart(epoch, order);
    this.#from = from;
    for (const index of this.#kept.keys()) {
      if (this.#place(index) < from) this.#kept.delete(index);
    }
  }

  /**
   * The item of that index, which must not lie before what was sought.
   *
   * @throws {InputError} if the stream ends before it
   */
  async get(index: number): Promise<T> {
    while (this.#come <= index) {
      const { done, value } = await this.#items!.next();
      if (done) {
        throw new InputError(`the stream has ended after ${this.#come} samples, but its length is ${this.#length}`);
      }
      if (this.#place(this.#come) >= this.#from) this.#kept.set(this.#come, value);
      this.#come++;
    }
    if (!this.#kept.has(index)) throw new Error(`Item ${index} is asked for at a place before ${this.#from}`);
    return this.#kept.get(index)!;
  }

  /** Items that are kept. */
  get size(): number {
    return this.#kept.size;
  }

  close(): void {
    this.#leave();
    this.#kept.clear();
  }

  #place(index: number): number {
    return this.#places === null ? index : this.#places[index]!;
  }

  #restart(epoch: number, order: Uint32Array | null): void {
    this.#leave();
    this.#kept.clear();
    this.#epoch = epoch;
    this.#come = 0;
    if (order !== this.#order || order === null) {
      this.#order = order;
      this.#places = order === null ? null : new Uint32Array(order.length);
      order?.forEach((index, place) => this.#places![index] = place);
    }
    const stream = this.#open(epoch);
    this.#items = Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : stream[Symbol.iterator]();
  }

  /** Lets the stream close what it has open; a failure to do so comes too late to matter. */
  #leave(): void {
    const items = this.#items;
    this.#items = null;
    Promise.resolve(items?.return?.()).catch(() => {});
  }
}
