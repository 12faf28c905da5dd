import { HASH_SEED, mix } from "./hash.ts";

/** Least size of a readback that is remembered, in bytes: small ones are equal by chance. */
const LEAST = 64;
/** Most words of a readback that its hash takes in, evenly spread, so that large ones cost no more. */
const WORDS = 4096;
/** Readbacks of a size that are remembered. */
const REMEMBERED = 16;

/** Finds bytes that the program reads from the device and uploads again. */
export class RoundTrips {
  /** Hashes of the last readbacks, by their size. */
  readonly #read = new Map<number, number[]>();

  /** Remembers bytes that were read from the device. */
  read(bytes: Uint8Array): void {
    const hash = bytes.byteLength < LEAST ? null : contentHash(bytes);
    if (hash === null) return;
    const hashes = this.#read.get(bytes.byteLength) ?? [];
    hashes.push(hash);
    if (hashes.length > REMEMBERED) hashes.shift();
    this.#read.set(bytes.byteLength, hashes);
  }

  /** Returns true if an upload has the bytes of an earlier readback, which pairs with no other upload. */
  uploads(bytes: Uint8Array): boolean {
    const hashes = this.#read.get(bytes.byteLength);
    if (hashes === undefined) return false;
    const at = hashes.indexOf(contentHash(bytes) ?? -1);
    if (at < 0) return false;
    hashes.splice(at, 1);
    return true;
  }
}

/** Returns a hash of the bytes; null if all words that it takes in are equal, as in a cleared buffer. */
function contentHash(bytes: Uint8Array): number | null {
  const words = bytes.byteLength >> 2;
  const step = Math.max(1, Math.floor(words / WORDS));
  const word = (i: number) =>
    bytes[4 * i]! | bytes[4 * i + 1]! << 8 | bytes[4 * i + 2]! << 16 | bytes[4 * i + 3]! << 24;
  const first = word(0);
  let [hash, varies] = [HASH_SEED, false];
  for (let i = 0; i < words; i += step) {
    const value = word(i);
    varies ||= value !== first;
    hash = mix(hash, value);
  }
  return varies ? hash : null;
}
