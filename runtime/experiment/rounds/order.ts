import { hashText, RandomStream } from "../../core/random.ts";

/**
 * The order in which the arms' blocks are run in a round, drawn from the seed. Over a cycle of rounds, as many as there
 * are arms or twice as many where that is odd, each arm comes right after each other one equally often and has each place
 * in the order equally often; each cycle names the arms and sorts the rounds anew.
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
  // With an odd number of arms a pair follows each other one way in half of the rows, and the other way backwards
  return row < arms ? order : order.reverse();
}

/** 0, 1, n - 1, 2, n - 2, ...: all differences between neighbours are distinct modulo an even n. */
function zigzag(place: number, n: number): number {
  return place % 2 === 1 ? (place + 1) / 2 : (n - place / 2) % n;
}
