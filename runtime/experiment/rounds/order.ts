import { hashText, RandomStream } from "../../core/random.ts";

/**
 * Returns the random order of the arms' blocks in a round, as indices. A cycle has as many rounds as there are arms, or
 * twice as many if that is odd. Within it, each arm directly follows each other arm equally often, and has each position
 * equally often. Each cycle is randomized independently.
 *
 * The design is E. J. Williams, "Experimental designs balanced for the estimation of residual effects of treatments",
 * Australian Journal of Scientific Research A 2 (1949).
 */
export function roundOrder(arms: number, seed: number, round: number): number[] {
  const rows = arms % 2 === 0 ? arms : 2 * arms;
  const stream = new RandomStream(seed, hashText("block order"), Math.floor(round / rows));
  const labels = stream.permutation(arms);
  const row = stream.permutation(rows)[round % rows]!;
  const order = Array.from({ length: arms }, (_, place) => labels[(zigzag(place, arms) + row) % arms]!);
  // With an odd number of arms, half of the rows contain each pair in one order, and the reversed rows in the other
  return row < arms ? order : order.reverse();
}

/** Returns an element of 0, 1, n - 1, 2, n - 2, ..., whose differences between neighbours are distinct modulo an even n. */
function zigzag(place: number, n: number): number {
  return place % 2 === 1 ? (place + 1) / 2 : (n - place / 2) % n;
}
