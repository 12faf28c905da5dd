import assert from "node:assert/strict";
import { extraTime } from "../../runtime/record/extra_time.ts";

Deno.test("extra time is the median of the pairs' ratios, whatever single pairs say", () => {
  const { value, uncertainty } = extraTime([[10, 11], [20, 22], [10, 30], [100, 110], [5, 5.5]]);
  assert(Math.abs(value - 0.1) < 1e-12);
  // Five pairs hold the median in 95 of 100 cases only all together
  assert(Math.abs(uncertainty - (2 - 0.1) / 2) < 1e-12);
});

Deno.test("more pairs narrow the uncertainty down, and neighbours that slow all three steps of a round cancel", () => {
  const pairs = Array.from({ length: 40 }, (_, i): [number, number] => {
    const busy = 1 + (i % 4);
    return [busy, busy * (1.01 + 0.001 * ((i * 7) % 11 - 5))];
  });
  const { value, uncertainty } = extraTime(pairs);
  assert(Math.abs(value - 0.01) < 0.002, String(value));
  assert(uncertainty < 0.003, String(uncertainty));
});
