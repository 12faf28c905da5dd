import { hashText, RandomStream } from "../../core/random.ts";

/**
 * Share of the rounds that begin with the arm that ended the one before. If all do, the effect of an arm on the next block
 * cancels, but an arm's place depends on its place in the round before: noise with a period of 1.5 rounds then calls 19 %
 * of equals faster or slower. If none do, an arm follows itself only by chance. `deno task bench:simulate` has the rates.
 */
const CHAINED = 0.5;

/**
 * Returns the order in which the arms' blocks run in a round, drawn from the seed. Half of the rounds begin with the arm that
 * ended the one before, so that arms also follow themselves, and much of the effect of an arm on the next block cancels
 * (Williams, "Experimental designs balanced for the estimation of residual effects of treatments", Australian Journal of
 * Scientific Research A 2, 1949; Lucas, "Extra-period Latin-square change-over designs", Journal of Dairy Science 40, 1957).
 * The others are independent of the rounds before, so that no period of noise favours an arm for long. Two arms would
 * alternate strictly: their order is random.
 */
export function roundOrder(arms: number, seed: number, round: number): number[] {
  const stream = new RandomStream(seed, hashText("block order"), arms);
  let order = [...stream.permutation(arms)];
  for (let i = 1; i <= round; i++) {
    const next = [...stream.permutation(arms)];
    const isChained = arms > 2 && stream.uniform() < CHAINED;
    const last = order.at(-1)!;
    order = isChained ? [last, ...next.filter((arm) => arm !== last)] : next;
  }
  return order;
}
