import { deepStrictEqual, ok } from "node:assert/strict";
import { median, medianInterval } from "../../runtime/core/statistics.ts";
import { RandomStream } from "../../runtime/core/random.ts";

Deno.test("medians of odd and even numbers of values", () => {
  deepStrictEqual([median([3, 1, 2]), median([4, 1, 3, 2])], [2, 2.5]);
});

// Table A3 of Conover: the interval of 10 values is between the second smallest and the second largest
Deno.test("the interval of a median lies between order statistics", () => {
  deepStrictEqual(medianInterval([5, 1, 4, 2, 3]), null);
  deepStrictEqual(medianInterval([6, 5, 1, 4, 2, 3]), { low: 1, high: 6 });
  deepStrictEqual(medianInterval([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]), { low: 2, high: 9 });
});

Deno.test("intervals cover the median in 95 % of samples", () => {
  const random = new RandomStream(1);
  for (const n of [8, 30, 1500]) {
    const trials = n > 1000 ? 200 : 2000;
    let covered = 0;
    for (let trial = 0; trial < trials; trial++) {
      const { low, high } = medianInterval(Array.from({ length: n }, () => random.below(1_000_000)))!;
      if (low <= 500_000 && high >= 500_000) covered++;
    }
    ok(covered / trials > 0.93, `${covered} of ${trials} with ${n} values`);
  }
});
