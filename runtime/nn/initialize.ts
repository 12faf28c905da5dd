import { hashText, pcg4d } from "../core/random.ts";
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
      return fillBlocks(out, seed, name, (words, i) => low + (high - low) * unit(words[i]!));
    }
    case "normal": {
      const { mean, deviation } = initializer;
      return fillBlocks(out, seed, name, (words, i) => mean + deviation * normal(words, i));
    }
  }
}

type Words = readonly [number, number, number, number];

function fillBlocks(out: Float32Array, seed: number, name: string, draw: (words: Words, lane: number) => number) {
  const key = hashText(name);
  for (let block = 0; block * 4 < out.length; block++) {
    const words = pcg4d(seed, key, 0, block);
    // Typed arrays ignore writes past the end
    for (let lane = 0; lane < 4; lane++) out[block * 4 + lane] = draw(words, lane);
  }
  return out;
}

/** Maps a word to the midpoint of one of 2^32 equal parts of (0, 1), never 0 or 1. */
function unit(word: number): number {
  return (word + 0.5) / 4294967296;
}

/** Draws from the normal distribution (G. Box and M. Muller, 1958): lanes 0 and 1, and 2 and 3, share radius and angle. */
function normal(words: Words, lane: number): number {
  const first = lane & 2;
  const radius = Math.sqrt(-2 * Math.log(unit(words[first]!)));
  const angle = 2 * Math.PI * unit(words[first + 1]!);
  return radius * (lane === first ? Math.cos(angle) : Math.sin(angle));
}
