/**
 * A cache of samples on one thread. Threads share its memory without locks: a thread that makes a sample claims the
 * sample's slot, takes a place, writes, and then publishes the place in the slot, or gives the sample up.
 *
 * @module
 */
import { InputError } from "../../core/errors.ts";
import { openToWrite, writeAll } from "../../core/files.ts";
import { reasonOf } from "../../core/shown.ts";
import { fillFrom } from "../files.ts";
import { type CachePlan, COUNTER, ENTRY_ALIGNMENT, HEADER_WORDS, roundUp } from "./cache_plan.ts";

/**
 * States of a slot. Positive values are 1 + the place of the sample, in units of the alignment; values below `CLAIMED` are
 * those of places that a sample had, and takes again: -2 - place.
 */
const EMPTY = 0;
const CLAIMED = -1;

const released = (unit: number) => CLAIMED - 1 - unit;

/** Bytes in memory. */
export interface Bytes {
  readonly buffer: ArrayBufferLike;
  readonly byteOffset: number;
  readonly byteLength: number;
}

/** Gives access to the samples of a cache. */
export class SampleCache {
  readonly #limit: number;
  readonly #words: Int32Array;
  readonly #sizes: Uint32Array;
  readonly #store: Store;

  /** @throws {Error} if the file of the cache cannot be opened */
  constructor({ limit, index, sizes, data, path }: CachePlan) {
    this.#limit = limit;
    this.#words = new Int32Array(index);
    this.#sizes = new Uint32Array(sizes);
    this.#store = data === null ? new FileStore(path!) : new MemoryStore(data);
  }

  /** Returns the bytes of a sample, valid until the next call; null if it is not in the cache. Counts hits and misses. */
  find(sample: number): Bytes | null {
    const slot = Atomics.load(this.#words, HEADER_WORDS + sample);
    Atomics.add(this.#words, slot > 0 ? COUNTER.hits : COUNTER.misses, 1);
    return slot > 0 ? this.#store.read((slot - 1) * ENTRY_ALIGNMENT, this.#sizes[sample]!) : null;
  }

  /**
   * Returns memory for a sample of `length` bytes, to be filled before `write`, and valid until the next call. Null if
   * another thread writes the sample, or the cache is full.
   */
  claim(sample: number, length: number): Claim | null {
    const words = this.#words;
    const at = HEADER_WORDS + sample;
    const slot = Atomics.load(words, at);
    if (slot > 0 || slot === CLAIMED) return null;
    const own = slot < CLAIMED && length <= this.#sizes[sample]! ? released(slot) : null;
    if (own === null && Atomics.load(words, COUNTER.full) !== 0) return null;
    if (Atomics.compareExchange(words, at, slot, CLAIMED) !== slot) return null;
    const unit = own ?? this.#take(roundUp(length) / ENTRY_ALIGNMENT);
    if (unit === null) {
      Atomics.store(words, at, EMPTY);
      return null;
    }
    const place = unit * ENTRY_ALIGNMENT;
    const bytes = this.#store.room(place, length);
    return {
      bytes,
      write: () => {
        this.#sizes[sample] = length;
        this.#store.write(place, bytes);
      },
      publish: () => {
        Atomics.store(words, at, unit + 1);
        Atomics.add(words, COUNTER.stored, 1);
      },
      release: () => Atomics.store(words, at, released(unit)),
    };
  }

  /** Removes a sample. */
  forget(sample: number): void {
    const at = HEADER_WORDS + sample;
    const slot = Atomics.load(this.#words, at);
    if (slot <= 0 || Atomics.compareExchange(this.#words, at, slot, released(slot - 1)) !== slot) return;
    Atomics.sub(this.#words, COUNTER.stored, 1);
  }

  close(): void {
    this.#store.close();
  }

  /** Takes a place; null if it would exceed the limit. */
  #take(units: number): number | null {
    const words = this.#words;
    for (let unit = Atomics.load(words, COUNTER.next);;) {
      if ((unit + units) * ENTRY_ALIGNMENT > this.#limit) {
        Atomics.store(words, COUNTER.full, 1);
        return null;
      }
      const found = Atomics.compareExchange(words, COUNTER.next, unit, unit + units);
      if (found === unit) return unit;
      unit = found;
    }
  }
}

/** Memory for a sample. */
export interface Claim {
  readonly bytes: Bytes;
  /** Stores the bytes. */
  write(): void;
  /** Makes the stored sample available to all threads. */
  publish(): void;
  /** Gives the sample up, so that it can be claimed again. */
  release(): void;
}

interface Store {
  /** Returns the bytes at a place, valid until the next call. */
  read(place: number, length: number): Bytes;
  /** Returns memory in which to prepare the bytes of a place. */
  room(place: number, length: number): Bytes;
  /** Stores prepared bytes. */
  write(place: number, bytes: Bytes): void;
  close(): void;
}

class MemoryStore implements Store {
  readonly #data: SharedArrayBuffer;

  constructor(data: SharedArrayBuffer) {
    this.#data = data;
  }

  read(place: number, length: number): Bytes {
    return { buffer: this.#data, byteOffset: place, byteLength: length };
  }

  room(place: number, length: number): Bytes {
    return this.read(place, length);
  }

  write(): void {}

  close(): void {}
}

class FileStore implements Store {
  readonly #path: string;
  readonly #file: Deno.FsFile;
  #memory = new ArrayBuffer(0);

  constructor(path: string) {
    this.#path = path;
    this.#file = openToWrite(path, { read: true, write: true });
  }

  read(place: number, length: number): Bytes {
    const bytes = this.room(place, length);
    const got = fillFrom(this.#file, place, new Uint8Array(this.#memory, 0, length));
    if (got < length) throw new InputError(`data.cache: ${this.#path} has been truncated since the run began`);
    return bytes;
  }

  room(_place: number, length: number): Bytes {
    if (this.#memory.byteLength < length) this.#memory = new ArrayBuffer(roundUp(length));
    return { buffer: this.#memory, byteOffset: 0, byteLength: length };
  }

  write(place: number, { byteLength }: Bytes): void {
    const bytes = new Uint8Array(this.#memory, 0, byteLength);
    try {
      this.#file.seekSync(place, Deno.SeekMode.Start);
      writeAll(this.#file, bytes);
    } catch (error) {
      throw new InputError(
        `data.cache: ${this.#path} cannot be written (${
          reasonOf(error)
        }); lower data.cache.limit, set TACHO_CACHE to a ` +
          'folder on another disk, or use a cache in "memory"',
        { cause: error },
      );
    }
  }

  close(): void {
    this.#file.close();
  }
}
