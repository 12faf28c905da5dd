import assert from "node:assert/strict";
import { Steadiness } from "../../../runtime/experiment/start/warm_up_phase.ts";

/** Returns the number of steps after which times are steady, or null. */
function steadyAfter(times: readonly number[], steps = 1): number | null {
  const steadiness = new Steadiness();
  for (const [i, time] of times.entries()) {
    steadiness.add(time, steps);
    if (steadiness.steady) return (i + 1) * steps;
  }
  return null;
}

Deno.test("times are steady after three steps without a gain", () => {
  assert.equal(steadyAfter([1000, 100, 101, 99, 98]), 5, "the first step compiles");
  assert.equal(steadyAfter([1000, 200, 150, 120, 100, 100, 100, 100]), 8);
  assert.equal(steadyAfter([100, 100, 100, 100]), 4, "nothing to warm up");
});

Deno.test("outliers do not delay steadiness, and times that keep falling are never steady", () => {
  assert.equal(steadyAfter([1000, 100, 500, 101, 900]), 5);
  assert.equal(steadyAfter(Array.from({ length: 20 }, (_, i) => 1000 * 0.9 ** i)), null);
});

Deno.test("a sink counts as its number of steps", () => {
  assert.equal(steadyAfter([300, 100, 100], 10), 30);
  assert.equal(steadyAfter([300, 100, 100, 100], 2), 8);
});
