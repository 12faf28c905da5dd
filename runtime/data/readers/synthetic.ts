import { pcg4d, streamKey } from "../../core/random.ts";
import { type ReaderDef, type ReaderPlan, sampleSize, type Source } from "./reader.ts";

export interface SyntheticPlan extends ReaderPlan {
  readonly kind: "synthetic";
}

export const syntheticReader: ReaderDef<SyntheticPlan> = { open: (plan) => new SyntheticSource(plan) };

const SAMPLE_KEY = streamKey(0, "data/synthetic/sample");
const CLASS_KEY = streamKey(0, "data/synthetic/class");

/** Words of four pixels that share one bit of the class pattern. */
const BLOCK_WORDS = 16;

/**
 * Random images that depend only on their index. Bit 5 of each pixel is not random: each block of 64 neighbouring pixels
 * has the same bit in all images of a class, so that the class can be learned, slowly. The other bits come from one
 * xorshift step (G. Marsaglia, "Xorshift RNGs", 2003) per four pixels, which takes 0.1 ms for a 224 x 224 image.
 */
class SyntheticSource implements Source {
  readonly offset = 0;
  readonly data: Uint8Array;
  readonly #words: Uint32Array;
  readonly #classes: number;
  /** 0x20202020 or 0 for each block, by class, for the classes seen so far. */
  readonly #patterns = new Map<number, Uint32Array>();

  constructor(plan: SyntheticPlan) {
    this.#words = new Uint32Array(Math.ceil(sampleSize(plan.sample) / 4));
    this.data = new Uint8Array(this.#words.buffer);
    this.#classes = plan.classes ?? 1;
  }

  read(index: number, target: Int32Array | Float32Array, at: number): void {
    const [label, state] = pcg4d(SAMPLE_KEY, index, 0, 0);
    target[at] = label % this.#classes;
    this.#draw(state | 1, this.#pattern(label % this.#classes));
  }

  close(): void {}

  #draw(state: number, pattern: Uint32Array): void {
    const words = this.#words;
    for (let block = 0, i = 0; i < words.length; block++) {
      const bits = pattern[block]!;
      const end = Math.min(i + BLOCK_WORDS, words.length);
      for (; i < end; i++) {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        words[i] = (state & 0xdfdfdfdf) | bits;
      }
    }
  }

  #pattern(label: number): Uint32Array {
    let pattern = this.#patterns.get(label);
    if (pattern === undefined) {
      pattern = Uint32Array.from(
        { length: Math.ceil(this.#words.length / BLOCK_WORDS) },
        (_, block) => (pcg4d(CLASS_KEY, label, block, 0)[0] & 1) === 0 ? 0 : 0x20202020,
      );
      this.#patterns.set(label, pattern);
    }
    return pattern;
  }
}
