/**
 * Places in buffers that receive the timestamps of events.
 *
 * @module
 */

/** Size of a place in bytes. Resolved queries have this alignment, and each event resolves its own query. */
export const PLACE_BYTES = 256;
/** Number of places in a buffer. */
export const PLACES = 1024;

/** A timestamp that the device will write. */
export interface Recording {
  /** Index over all buffers. */
  readonly place: number;
  /** Value at the place before, by which an old timestamp is known: an encoder that is never submitted writes nothing. */
  readonly before: bigint;
  /** Time on the device's clock, in ticks; null until it is read. */
  time: bigint | null;
}

/** Assigns places to recordings. A place is free again as soon as its timestamp has been read. */
export class EventPlaces {
  /** Free places with their values; the last one is taken first. */
  readonly #free: Pick<Recording, "place" | "before">[] = [];
  readonly #unread = new Map<number, Recording>();
  #count = 0;

  /** Number of places so far, a multiple of {@linkcode PLACES}. */
  get count(): number {
    return this.#count;
  }

  /** Takes a place. If none is free, adds as many as a buffer has, which the caller creates. */
  take(): Recording {
    if (this.#free.length === 0) {
      for (let i = 1; i <= PLACES; i++) this.#free.push({ place: this.#count + PLACES - i, before: 0n });
      this.#count += PLACES;
    }
    const recording: Recording = { ...this.#free.pop()!, time: null };
    this.#unread.set(recording.place, recording);
    return recording;
  }

  /** Returns the places whose timestamps have not been read, in ascending order. */
  unread(): number[] {
    return [...this.#unread.keys()].sort((a, b) => a - b);
  }

  /** Sets the value read at a place. Does nothing if the device has not written it yet. */
  set(place: number, value: bigint): void {
    const recording = this.#unread.get(place);
    if (recording === undefined || value === 0n || value === recording.before) return;
    recording.time = value;
    this.#unread.delete(place);
    this.#free.push({ place, before: value });
  }
}
