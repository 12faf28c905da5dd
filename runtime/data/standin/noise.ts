/**
 * A fast sequence of 32-bit words for the pixels of one image: xorshift (G. Marsaglia, "Xorshift RNGs", 2003), begun from
 * a keyed draw.
 */
export class Noise {
  #state: number;

  constructor(state: number) {
    this.#state = state | 1;
  }

  /** An integer in [0, 2^32) as a signed word. */
  word(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return x;
  }
}
