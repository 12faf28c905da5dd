import { hashText, RandomStream } from "../../core/random.ts";

/**
 * Share of the rounds that end with the arm that the round before began with. Without a limit an arm that ends one round
 * would often end the next but one, and noise with a period of two rounds would favour it. bench/RESULTS.md has the rate
 * of false verdicts.
 */
const RETURNS = 0.2;

/**
 * Returns the order in which the arms' blocks run in a round, drawn from the seed. A round begins with the arm that ended
 * the one before: over the rounds each arm comes right after each arm equally often, itself included, so that the effect
 * of an arm on the next block cancels (Williams, "Experimental designs balanced for the estimation of residual effects of
 * treatments", Australian Journal of Scientific Research A 2, 1949; Lucas, "Extra-period Latin-square change-over
 * designs", Journal of Dairy Science 40, 1957). Two arms would alternate strictly, which favours one of them in periodic
 * noise: their order is random.
 */
export function roundOrder(arms: number, seed: number, round: number): number[] {
  const stream = new RandomStream(seed, hashText("block order"), arms);
  let order = [...stream.permutation(arms)];
  for (let i = 1; i <= round; i++) order = arms > 2 ? nextOrder(order, stream) : [...stream.permutation(arms)];
  return order;
}

function nextOrder(previous: readonly number[], stream: RandomStream): number[] {
  const [before, first] = [previous[0]!, previous.at(-1)!];
  const others = [...stream.permutation(previous.length)].filter((arm) => arm !== first);
  const returns = stream.uniform() < Math.min(RETURNS, 1 / others.length);
  const last = returns ? before : others.find((arm) => arm !== before)!;
  return [first, ...others.filter((arm) => arm !== last), last];
}
