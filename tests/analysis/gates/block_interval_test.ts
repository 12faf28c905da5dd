import assert from "node:assert/strict";
import { blockInterval, differenceInterval, ratioInterval } from "../../../runtime/analysis/gates/block_interval.ts";
import { RandomStream } from "../../../runtime/core/random.ts";

/** Log-normal times around `centre`. */
function blocks(count: number, centre: number, spread: number, stream: RandomStream): number[] {
  return Array.from({ length: count }, () => centre * Math.exp(spread * stream.normal()));
}

Deno.test("a single block has no interval, and equal blocks a zero-width one", () => {
  assert.equal(blockInterval([5]), null);
  assert.equal(blockInterval([]), null);
  const { low, high } = blockInterval([5, 5, 5])!;
  assert(Math.abs(low - 5) < 1e-12 && low === high);
  assert.equal(ratioInterval([5], [5, 5]), null);
  assert.equal(differenceInterval([1, 2], [1]), null);
  assert.deepEqual(differenceInterval([3, 3], [1, 1]), { low: 2, high: 2 });
});

Deno.test("the interval of two blocks uses t with one degree of freedom on logs", () => {
  const { low, high } = blockInterval([Math.exp(1), Math.exp(3)])!;
  assert(Math.abs(Math.log(low) - (2 - 12.7062)) < 1e-3);
  assert(Math.abs(Math.log(high) - (2 + 12.7062)) < 1e-3);
});

Deno.test("values of 0 have an interval without logs, and no ratio", () => {
  const { low, high } = blockInterval([0, 0, 3])!;
  assert(low < 1 && high > 1);
  assert.equal(ratioInterval([0, 1, 2], [1, 2, 3]), null);
});

Deno.test("intervals cover the true value in 93 to 97 % of experiments", () => {
  const stream = new RandomStream(7);
  const experiments = 4000;
  let one = 0;
  let two = 0;
  for (let i = 0; i < experiments; i++) {
    const [a, b] = [blocks(5, 100, 0.05, stream), blocks(8, 80, 0.15, stream)];
    const mean = blockInterval(a)!;
    if (mean.low <= 100 && 100 <= mean.high) one++;
    const ratio = ratioInterval(a, b)!;
    if (ratio.low <= 1.25 && 1.25 <= ratio.high) two++;
  }
  for (const hits of [one, two]) assert(Math.abs(hits / experiments - 0.95) < 0.02, String(hits / experiments));
});
