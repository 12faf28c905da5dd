import { drawInto, hashText } from "../core/random.ts";
import { type Shape, sizeOf } from "../core/shape.ts";
import type { Initializer } from "../graph/types.ts";

/**
 * Returns the initial values of a parameter or state tensor, in row-major order of its logical shape. They depend only on
 * `seed` and `name`: element e is drawn from lane e mod 4 of `pcg4d(seed, hash of name, 0, floor(e / 4))`.
 *
 * @param name full name, such as `layer1.0.conv1.weight`
 */
export function initialize(initializer: Initializer, shape: Shape, seed: number, name: string): Float32Array {
  const values = draw(initializer, shape, seed, name);
  const { zeroRow } = initializer;
  const width = sizeOf(shape.slice(1));
  return zeroRow === undefined ? values : values.fill(0, zeroRow * width, (zeroRow + 1) * width);
}

function draw(initializer: Initializer, shape: Shape, seed: number, name: string): Float32Array {
  const out = new Float32Array(sizeOf(shape));
  switch (initializer.kind) {
    case "constant":
      return out.fill(initializer.value);
    case "values":
      return Float32Array.from(initializer.values);
    case "uniform": {
      const { low, high } = initializer;
      return fillBlocks(out, seed, name, (words, at) => {
        for (let lane = 0; lane < 4; lane++) out[at + lane] = low + (high - low) * unit(words[lane]!);
      });
    }
    case "normal": {
      const { mean, deviation } = initializer;
      return fillBlocks(out, seed, name, (words, at) => {
        normalPair(out, at, words[0]!, words[1]!, mean, deviation);
        normalPair(out, at + 2, words[2]!, words[3]!, mean, deviation);
      });
    }
  }
}

/** Calls `fill` with each block's words and the index of its first element. Typed arrays ignore writes past the end. */
function fillBlocks(out: Float32Array, seed: number, name: string, fill: (words: Uint32Array, at: number) => void) {
  const key = hashText(name);
  const words = new Uint32Array(4);
  for (let block = 0; block * 4 < out.length; block++) {
    drawInto(words, seed, key, 0, block);
    fill(words, block * 4);
  }
  return out;
}

/** Maps a word to the midpoint of one of 2^32 equal parts of (0, 1), never 0 or 1. */
function unit(word: number): number {
  return (word + 0.5) / 4294967296;
}

/** Draws two numbers of the normal distribution from two words (G. Box and M. Muller, 1958). */
function normalPair(out: Float32Array, at: number, a: number, b: number, mean: number, deviation: number): void {
  const radius = Math.sqrt(-2 * Math.log(unit(a)));
  const angle = 2 * Math.PI * unit(b);
  out[at] = mean + deviation * (radius * Math.cos(angle));
  out[at + 1] = mean + deviation * (radius * Math.sin(angle));
}
