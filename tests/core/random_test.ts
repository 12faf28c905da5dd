import assert from "node:assert/strict";
import fc from "../packages/fast_check.ts";
import { hashText, pcg4d, RandomStream } from "../../runtime/core/random.ts";
import { fnv1a, pcg4d as referencePcg4d } from "../support/reference/dropout.ts";

const word = fc.integer({ min: 0, max: 0xffffffff });

Deno.test("pcg4d and the hash match the reference implementations", () => {
  fc.assert(fc.property(word, word, word, word, (x, y, z, w) => {
    assert.deepEqual(pcg4d(x, y, z, w), referencePcg4d([x, y, z, w]));
  }));
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => assert.equal(hashText(text), fnv1a(text))));
  assert.equal(hashText(""), 0x811c9dc5);
});

function draws<T>(n: number, stream: RandomStream, draw: (stream: RandomStream) => T): T[] {
  return Array.from({ length: n }, () => draw(stream));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the chi-squared statistic of counts that should be equal; about the number of bins, plus or minus its root. */
function chiSquared(counts: readonly number[]): number {
  const expected = mean(counts);
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

const N = 100_000;

Deno.test("uniform draws fill [0, 1) evenly", () => {
  for (const key of [[0], [1, 2], [7, 0xffffffff, 3]] as const) {
    const values = draws(N, new RandomStream(...key as [number]), (stream) => stream.uniform());
    assert.ok(values.every((value) => value >= 0 && value < 1 && Number.isInteger(value * 2 ** 24)));
    const counts = new Array<number>(100).fill(0);
    for (const value of values) counts[Math.floor(value * 100)]!++;
    const statistic = chiSquared(counts);
    assert.ok(statistic > 40 && statistic < 180, `chi squared ${statistic} of 100 bins`);
    // Neighbours: a grid of 10 x 10
    const pairs = new Array<number>(100).fill(0);
    for (let i = 0; i + 1 < N; i += 2) pairs[Math.floor(values[i]! * 10) * 10 + Math.floor(values[i + 1]! * 10)]!++;
    assert.ok(chiSquared(pairs) < 180, `chi squared ${chiSquared(pairs)} of pairs`);
  }
});

Deno.test("normal draws have the moments of the standard normal distribution", () => {
  const values = draws(N, new RandomStream(5, 6), (stream) => stream.normal());
  const moment = (power: number) => mean(values.map((value) => value ** power));
  assert.ok(Math.abs(moment(1)) < 0.015, `${moment(1)}`);
  assert.ok(Math.abs(moment(2) - 1) < 0.025, `${moment(2)}`);
  assert.ok(Math.abs(moment(3)) < 0.06, `${moment(3)}`);
  assert.ok(Math.abs(moment(4) - 3) < 0.2, `${moment(4)}`);
  assert.ok(values.every(Number.isFinite));
});

Deno.test("streams with the same key are equal, and with any word changed independent", () => {
  const take = (...key: [number, number?, number?]) => draws(4000, new RandomStream(...key), (s) => s.uniform());
  assert.deepEqual(take(3, 1, 4), take(3, 1, 4));
  assert.deepEqual(take(3), take(3, 0, 0));
  const base = take(3, 1, 4);
  for (const key of [[4, 1, 4], [3, 2, 4], [3, 1, 5], [1, 3, 4], [3, 4, 1], [2, 1, 4]] as [number, number, number][]) {
    const other = take(...key);
    const correlation = 12 * mean(base.map((value, i) => (value - 0.5) * (other[i]! - 0.5)));
    assert.ok(Math.abs(correlation) < 0.06, `${key}: ${correlation}`);
    assert.ok(base.filter((value, i) => value === other[i]).length < 3, `${key}`);
  }
});

Deno.test("the first draws of consecutive keys are uniform, since seeds, epochs and samples are small numbers", () => {
  const counts = new Array<number>(50).fill(0);
  for (let sample = 0; sample < 20_000; sample++) {
    counts[Math.floor(new RandomStream(1, 0, sample).uniform() * 50)]!++;
  }
  const statistic = chiSquared(counts);
  assert.ok(statistic > 15 && statistic < 105, `chi squared ${statistic} of 50 bins`);
});

Deno.test("below(n) draws every integer in [0, n)", () => {
  for (const n of [1, 2, 7, 1000]) {
    const values = draws(20 * n + 100, new RandomStream(n), (stream) => stream.below(n));
    assert.ok(values.every((value) => Number.isInteger(value) && value >= 0 && value < n));
    assert.equal(new Set(values).size, n);
  }
  const large = draws(1000, new RandomStream(1), (stream) => stream.below(2 ** 32));
  assert.ok(Math.max(...large) > 2 ** 31 && Math.max(...large) < 2 ** 32);
});

Deno.test("permutations contain every number once, and all orders are equally likely", () => {
  fc.assert(fc.property(word, fc.nat(50), (seed, n) => {
    const order = new RandomStream(seed).permutation(n);
    assert.deepEqual([...order].sort((a, b) => a - b), Array.from({ length: n }, (_, i) => i));
  }));
  const counts = new Map<string, number>();
  for (let seed = 0; seed < 12_000; seed++) {
    const order = new RandomStream(seed).permutation(4).join("");
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  assert.equal(counts.size, 24);
  assert.ok(chiSquared([...counts.values()]) < 60, `chi squared ${chiSquared([...counts.values()])} of 24 orders`);
});
