import assert from "node:assert/strict";
import { extraTime, relativeToBatch } from "../../runtime/record/extra_time.ts";

Deno.test("extra time is the median of the pairs' ratios times the median step, regardless of outliers", () => {
  const { value, uncertainty } = extraTime([[10, 11], [20, 22], [10, 30], [100, 110], [5, 5.5]]);
  assert(Math.abs(value - 1) < 1e-12);
  // With five pairs, only the full range encloses the median in 95 of 100 cases
  assert(Math.abs(uncertainty - 10 * (2 - 0.1) / 2) < 1e-12);
});

Deno.test("more pairs reduce the uncertainty, and load that slows both steps of a pair cancels", () => {
  const pairs = Array.from({ length: 40 }, (_, i): [number, number] => {
    const busy = 1 + (i % 4);
    return [busy, busy * (1.01 + 0.001 * ((i * 7) % 11 - 5))];
  });
  const { value, uncertainty } = extraTime(pairs);
  assert(Math.abs(value - 0.025) < 0.005, String(value));
  assert(uncertainty < 0.0075, String(uncertainty));
});

Deno.test("a short device step in a batch of mostly loading has a small cost", () => {
  const extra = extraTime(Array.from({ length: 9 }, (): [number, number] => [2, 3.36]));
  const { value, uncertainty } = relativeToBatch(extra, 202);
  assert(Math.abs(value - 1.36 / 202) < 1e-12, String(value));
  assert(uncertainty < 1e-12);
});
