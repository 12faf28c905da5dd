import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { MAX_GROUPS, signFlipInterval, signFlipP, smallestP } from "../../../runtime/analysis/comparison/sign_flip.ts";
import { RandomStream } from "../../../runtime/core/random.ts";

function draws(seed: number, count: number, shift = 0): number[] {
  const random = new RandomStream(seed);
  return Array.from({ length: count }, () => random.normal() + shift);
}

/** By going through all signs. */
function exhaustiveP(values: readonly number[]): number {
  const observed = Math.abs(values.reduce((sum, value) => sum + value, 0));
  let reached = 0;
  for (let signs = 0; signs < 2 ** values.length; signs++) {
    const sum = values.reduce((total, value, i) => total + (signs >> i & 1 ? -value : value), 0);
    if (Math.abs(sum) >= observed - 1e-9) reached++;
  }
  return reached / 2 ** values.length;
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

Deno.test("p is the share of signs that reach the sum", () => {
  for (let count = 1; count <= 12; count++) {
    for (const shift of [0, 0.7, -2]) {
      close(signFlipP(draws(count, count, shift)), exhaustiveP(draws(count, count, shift)));
    }
  }
});

Deno.test("p of values that are tied, zero or huge", () => {
  strictEqual(signFlipP([]), 1);
  strictEqual(signFlipP([0, 0, 0]), 1);
  strictEqual(signFlipP([0.1, 0.1, 0.1, 0.1, 0.1, 0.1]), 2 / 64);
  strictEqual(signFlipP([0.1, -0.1, 0.1, -0.1]), 1);
  strictEqual(signFlipP([1e300, 1, 1, 1]), exhaustiveP([1e300, 1, 1, 1]));
  close(signFlipP([0.1, 0.2, -0.3, 0.3]), exhaustiveP([0.1, 0.2, -0.3, 0.3]));
});

Deno.test("the smallest p is reached where every round has one sign", () => {
  strictEqual(smallestP(8), 2 / 256);
  for (const rounds of [1, 6, 8, 19, 33]) {
    close(signFlipP(draws(rounds, rounds).map(Math.abs)), smallestP(rounds), 1e-15);
  }
});

Deno.test("the interval's ends are means of subsets, so many in that the level is kept", () => {
  for (const [rounds, rank] of [[6, 1], [7, 3], [8, 6], [11, 51]] as const) {
    const values = draws(rounds, rounds, 0.3);
    const means = subsetMeans(values);
    const { low, high } = signFlipInterval(values, 0.95)!;
    close(low, means[rank - 1]!);
    close(high, means.at(-rank)!);
  }
});

Deno.test("the interval leaves zero out where the test rejects", () => {
  let rejected = 0;
  for (let seed = 0; seed < 200; seed++) {
    const values = draws(seed, 8, 0.6);
    const { low, high } = signFlipInterval(values, 0.95)!;
    const outside = low > 0 || high < 0;
    strictEqual(outside, signFlipP(values) <= 12 / 256, `seed ${seed}`);
    if (outside) rejected++;
  }
  ok(rejected > 20 && rejected < 180, `${rejected} rejected`);
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
  strictEqual(signFlipP(values), signFlipP(pairs));
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
