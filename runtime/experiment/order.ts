import { hashText, RandomStream } from "../core/random.ts";

/** The order in which the variants' blocks are run in a round: a permutation drawn from the seed. */
export function roundOrder(variants: number, seed: number, round: number): number[] {
  return [...new RandomStream(seed, hashText("block order"), round).permutation(variants)];
}
