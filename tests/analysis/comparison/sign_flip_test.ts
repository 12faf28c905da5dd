import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { MAX_GROUPS, signFlipInterval } from "../../../runtime/analysis/comparison/sign_flip.ts";
import { RandomStream } from "../../../runtime/core/random.ts";

function draws(seed: number, count: number, shift = 0): number[] {
  const random = new RandomStream(seed);
  return Array.from({ length: count }, () => random.normal() + shift);
}

function subsetMeans(values: readonly number[]): number[] {
  const means: number[] = [];
  for (let subset = 1; subset < 2 ** values.length; subset++) {
    const part = values.filter((_, i) => subset >> i & 1);
    means.push(part.reduce((sum, value) => sum + value, 0) / part.length);
  }
  return means.sort((a, b) => a - b);
}

function close(actual: number, expected: number, tolerance = 1e-6): void {
  ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);
}

Deno.test("the interval's ends are means of subsets, at the ranks that keep the level", () => {
  for (const [rounds, rank] of [[6, 1], [7, 3], [8, 6], [11, 51]] as const) {
    const values = draws(rounds, rounds, 0.3);
    const means = subsetMeans(values);
    const { low, high } = signFlipInterval(values, 0.95)!;
    close(low, means[rank - 1]!);
    close(high, means.at(-rank)!);
  }
});

Deno.test("five rounds are too few for an interval, six are not", () => {
  strictEqual(signFlipInterval(draws(1, 5), 0.95), null);
  const values = draws(1, 6);
  deepStrictEqual(signFlipInterval(values, 0.95), { low: Math.min(...values), high: Math.max(...values) });
});

Deno.test("equal differences give an interval of no width", () => {
  deepStrictEqual(signFlipInterval(new Array(9).fill(0.25), 0.95), { low: 0.25, high: 0.25 });
  deepStrictEqual(signFlipInterval(new Array(9).fill(0), 0.95), { low: 0, high: 0 });
});

Deno.test("many rounds are tested in groups of neighbours", () => {
  const values = draws(3, 2 * MAX_GROUPS, 0.5);
  const pairs = Array.from({ length: MAX_GROUPS }, (_, i) => (values[2 * i]! + values[2 * i + 1]!) / 2);
  const [all, grouped] = [signFlipInterval(values, 0.95)!, signFlipInterval(pairs, 0.95)!];
  close(all.low, grouped.low);
  close(all.high, grouped.high);
});

Deno.test("the interval of uneven groups holds the mean, and the truth as often as it says", () => {
  let held = 0;
  for (let seed = 0; seed < 150; seed++) {
    const values = draws(seed, MAX_GROUPS + 7);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const { low, high } = signFlipInterval(values, 0.95)!;
    ok(low < mean && mean < high);
    if (low < 0 && high > 0) held++;
  }
  ok(held >= 135 && held <= 149, `${held} of 150`);
});
