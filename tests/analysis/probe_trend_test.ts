import assert from "node:assert/strict";
import { probeTrend } from "../../runtime/analysis/probe_trend.ts";

Deno.test("a steady rise is a significant trend", () => {
  const trend = probeTrend(Array.from({ length: 11 }, (_, i) => 10 + 0.1 * i))!;
  assert.ok(Math.abs(trend.change - 1 / 10.5) < 1e-12);
  assert.ok(trend.significant);
  const falling = probeTrend(Array.from({ length: 10 }, (_, i) => 20 - i))!;
  assert.ok(falling.change < 0 && falling.significant);
});

Deno.test("bursts, noise and equal times are no trend", () => {
  const burst = probeTrend([10, 10.1, 9.9, 10, 80, 10.1, 9.9, 10])!;
  assert.ok(Math.abs(burst.change) < 0.02 && !burst.significant);
  assert.deepEqual(probeTrend([5, 5, 5, 5, 5, 5]), { change: 0, significant: false });
  assert.equal(probeTrend([1, 3, 2, 3, 1, 2, 3, 1])!.significant, false);
});

Deno.test("fewer than five times have no trend", () => {
  assert.equal(probeTrend([1, 2, 3, 4]), null);
  assert.equal(probeTrend([]), null);
  assert.equal(probeTrend([0, 0, 0, 0, 0]), null);
});
