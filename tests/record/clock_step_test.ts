import assert from "node:assert/strict";
import { clockStep } from "../../runtime/record/clock_step.ts";

Deno.test("the step of a clock is inferred, whether whole, fractional, finer than the readings, or unknown", () => {
  const random = generator(7);
  const walk = (tick: number, length: number) => {
    let ticks = 1_000_000;
    return Array.from({ length }, () => BigInt(Math.round((ticks += 1 + Math.floor(random() * 400)) * tick)));
  };
  assert.equal(clockStep(walk(32, 200)), 32);
  assert.equal(clockStep(walk(1, 200)), 1);
  const intel = clockStep(walk(1000 / 12, 400));
  assert.ok(intel !== null && Math.abs(intel - 1000 / 12) < 0.05, `${intel}`);
  assert.equal(clockStep([5n, 9n]), null);
  assert.equal(clockStep([]), null);
});

function generator(seed: number): () => number {
  return () => (seed = (seed * 48271) % 2147483647) / 2147483647;
}
