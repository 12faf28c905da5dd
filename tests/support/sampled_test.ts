import { deepStrictEqual, throws } from "node:assert/strict";
import { full, sampled } from "./full.ts";

const cases = Array.from({ length: 100 }, (_, i) => i);

Deno.test("a sample has the first and the last case, and one of each equal part between them", () => {
  const sample = sampled(cases, 9, { all: false });
  deepStrictEqual([sample.length, sample[0], sample.at(-1)], [9, 0, 99]);
  deepStrictEqual(sample.slice(1, -1).map((i) => Math.floor((i - 1) / 14)), [0, 1, 2, 3, 4, 5, 6]);
  deepStrictEqual(sampled(cases, 2, { all: false }), [0, 99]);
});

Deno.test("a sample is the same in every run, and another for another seed", () => {
  deepStrictEqual(sampled(cases, 20, { all: false }), sampled(cases, 20, { all: false }));
  const differ = sampled(cases, 20, { all: false, seed: 1 }).some((i, k) =>
    i !== sampled(cases, 20, { all: false })[k]
  );
  deepStrictEqual(differ, true);
});

Deno.test("the full set, and a list of few cases, is not sampled", () => {
  deepStrictEqual(sampled(cases, 5, { all: true }), cases);
  deepStrictEqual(sampled(cases, 5).length, full ? 100 : 5);
  deepStrictEqual(sampled([1, 2, 3], 3, { all: false }), [1, 2, 3]);
  throws(() => sampled(cases, 1, { all: false }), /at least 2 cases, got 1/);
});
