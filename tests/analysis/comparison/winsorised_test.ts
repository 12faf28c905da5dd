import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  smallestP,
  winsorisedInterval,
  winsorisedMean,
  winsorisedP,
} from "../../../runtime/analysis/comparison/winsorised.ts";
import { RandomStream } from "../../../runtime/core/random.ts";

function draws(seed: number, count: number, shift = 0): number[] {
  const random = new RandomStream(seed);
  return Array.from({ length: count }, () => random.normal() + shift);
}

/** Goes through all signs, with scores of 16 parts of the median size. */
function exhaustiveP(values: readonly number[]): number {
  const sizes = values.map(Math.abs).sort((a, b) => a - b);
  const half = sizes.length >> 1;
  const bound = sizes.length % 2 === 1 ? sizes[half]! : (sizes[half - 1]! + sizes[half]!) / 2;
  const scores = values.map((value) => Math.sign(value) * Math.min(16, Math.ceil(16 * Math.abs(value) / bound)));
  const observed = Math.abs(scores.reduce((sum, score) => sum + score, 0));
  let reached = 0;
  for (let signs = 0; signs < 2 ** scores.length; signs++) {
    const sum = scores.reduce((total, score, i) => total + (signs >> i & 1 ? -score : score), 0);
    if (Math.abs(sum) >= observed) reached++;
  }
  return reached / 2 ** scores.length;
}

function close(actual: number, expected: number, tolerance = 1e-6): void {
  ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);
}

Deno.test("p is the share of signs whose winsorised sum is as large", () => {
  for (let count = 1; count <= 12; count++) {
    for (const shift of [0, 0.7, -2]) {
      const values = draws(count, count, shift);
      close(winsorisedP(values), Math.min(1, exhaustiveP(values)), 1e-12);
    }
  }
});

Deno.test("p of values that are tied, zero or huge", () => {
  strictEqual(winsorisedP([]), 1);
  strictEqual(winsorisedP([0, 0, 0]), 1);
  strictEqual(winsorisedP([0.1, 0.1, 0.1, 0.1, 0.1, 0.1]), 2 / 64);
  strictEqual(winsorisedP([0.1, -0.1, 0.1, -0.1]), 1);
  strictEqual(winsorisedP([1e300, 1, 1, 1]), 2 / 16);
});

Deno.test("the smallest p is reached where every round has one sign", () => {
  strictEqual(smallestP(8), 2 / 256);
  for (const rounds of [1, 6, 8, 19, 33, 100]) {
    close(winsorisedP(draws(rounds, rounds).map(Math.abs)) / smallestP(rounds), 1, 1e-9);
  }
});

Deno.test("a burst weighs no more than a typical block", () => {
  const values = draws(5, 12, 1).with(3, -50);
  const worse = values.with(3, -5000);
  strictEqual(winsorisedP(worse), winsorisedP(values));
  close(winsorisedMean(worse), winsorisedMean(values), 1e-6);
  ok(Math.abs(winsorisedMean(worse) - 1) < 0.8, `${winsorisedMean(worse)}`);
  strictEqual(winsorisedMean([3, 3, 3]), 3);
});

Deno.test("the interval holds the shifts that the test does not reject", () => {
  for (const count of [6, 9, 12, 20, 40]) {
    const values = draws(count, count, 0.4);
    const { low, high, level } = winsorisedInterval(values, 0.95)!;
    const shifted = (shift: number) => winsorisedP(values.map((value) => value - shift));
    const step = (high - low) * 1e-5;
    ok(shifted(low + step) > 0.05 && shifted(high - step) > 0.05);
    ok(shifted(low - step) <= 0.05 && shifted(high + step) <= 0.05);
    ok(level >= 0.95 && level < 0.975, `${count}: ${level}`);
    const mean = winsorisedMean(values);
    ok(low < mean && mean < high);
  }
});

Deno.test("five rounds are too few for an interval; six reach 96.9 % and have the extremes", () => {
  strictEqual(winsorisedInterval(draws(1, 5), 0.95), null);
  const values = draws(1, 6);
  const { low, high, level } = winsorisedInterval(values, 0.95)!;
  close(low, Math.min(...values));
  close(high, Math.max(...values));
  strictEqual(level, 1 - 2 / 64);
});

Deno.test("equal differences give an interval of no width", () => {
  for (const value of [0.25, 0, -3]) {
    const { low, high } = winsorisedInterval(new Array(9).fill(value), 0.95)!;
    deepStrictEqual([low, high], [value, value]);
  }
});

Deno.test("the interval holds the truth as often as it says", () => {
  let held = 0;
  for (let seed = 0; seed < 400; seed++) {
    const { low, high } = winsorisedInterval(draws(seed, 10).map((value) => value ** 3), 0.95)!;
    if (low <= 0 && high >= 0) held++;
  }
  ok(held >= 366 && held <= 394, `${held} of 400`);
});
