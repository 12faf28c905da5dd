import { InputError } from "../../core/errors.ts";

/** One pass over the samples of a source, in its own order. */
export type Stream<T> = AsyncIterable<T> | Iterable<T>;

/**
 * Buffer between a stream, whose items arrive in one order, and batches, which request them in a similar one. Keeps items
 * that have arrived and are still to be requested. Each worker has a separate window over a separate stream.
 */
export class StreamWindow<T> {
  readonly #open: (epoch: number) => Stream<T>;
  readonly #length: number;
  readonly #kept = new Map<number, T>();
  #epoch = -1;
  #order: Uint32Array | null = null;
  /** Place of each item in the order: its inverse. */
  #places: Uint32Array | null = null;
  #from = 0;
  #items: AsyncIterator<T> | Iterator<T> | null = null;
  /** Number of items that have arrived. */
  #arrived = 0;

  /**
   * @param open starts an epoch's pass
   * @param length number of items in a pass
   */
  constructor(open: (epoch: number) => Stream<T>, length: number) {
    this.#open = open;
    this.#length = length;
  }

  /** Announces that items are requested in `order`, from place `from` on; see `Source.seek`. */
  seek(epoch: number, order: Uint32Array | null, from: number): void {
    if (epoch !== this.#epoch || from < this.#from) this.#restart(epoch, order);
    this.#from = from;
    for (const index of this.#kept.keys()) {
      if (this.#place(index) < from) this.#kept.delete(index);
    }
  }

  /**
   * Returns the item `index`, whose place must not lie before the last `seek`.
   *
   * @throws {InputError} if the stream ends before it
   */
  async get(index: number): Promise<T> {
    while (this.#arrived <= index) {
      const { done, value } = await this.#items!.next();
      if (done) {
        throw new InputError(`the stream has ended after ${this.#arrived} samples, but its length is ${this.#length}`);
      }
      if (this.#place(this.#arrived) >= this.#from) this.#kept.set(this.#arrived, value);
      this.#arrived++;
    }
    if (!this.#kept.has(index)) throw new Error(`Item ${index} is requested at a place before ${this.#from}`);
    return this.#kept.get(index)!;
  }

  /** Number of kept items. */
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
    this.#arrived = 0;
    if (order !== this.#order || order === null) {
      this.#order = order;
      this.#places = order === null ? null : new Uint32Array(order.length);
      order?.forEach((index, place) => this.#places![index] = place);
    }
    const stream = this.#open(epoch);
    this.#items = Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : stream[Symbol.iterator]();
  }

  /** Lets the stream release its resources; a failure there no longer matters. */
  #leave(): void {
    const items = this.#items;
    this.#items = null;
    Promise.resolve(items?.return?.()).catch(() => {});
  }
}
