import assert from "node:assert/strict";
import { clockStep } from "../../runtime/record/clock_step.ts";
import { addDefects, cleanPasses, NO_DEFECTS } from "../../runtime/record/device_samples.ts";

const pass = (begin: number, end: number) => ({ begin: BigInt(begin), end: BigInt(end) });

Deno.test("passes in order are kept as they are", () => {
  const raw = [pass(100, 200), pass(200, 350), pass(400, 401)];
  const { passes, defects, last } = cleanPasses(raw, 50n);
  assert.deepEqual(passes, raw);
  assert.deepEqual(defects, NO_DEFECTS);
  assert.equal(last, 401n);
});

Deno.test("each defect is counted under its name, and only overlaps are mended", () => {
  const cases = {
    missing: [pass(0, 0), null],
    "missing, begin alone": [pass(0, 900), null],
    stale: [pass(10, 40), null],
    "stale, begin alone": [pass(10, 900), null],
    "stale, from earlier in the same reading": [pass(120, 180), null],
    "stale, the pass before": [pass(200, 300), null],
    zero: [pass(400, 400), null],
    negative: [pass(500, 400), null],
    overlapping: [pass(250, 400), pass(300, 400)],
    "overlapping, hidden": [pass(220, 280), null],
  } as const;
  for (const [name, [odd, expected]] of Object.entries(cases)) {
    const { passes, defects, last } = cleanPasses([pass(200, 300), odd, pass(1000, 1100)], 50n);
    assert.deepEqual(passes, [pass(200, 300), expected, pass(1000, 1100)], name);
    assert.deepEqual(defects, { ...NO_DEFECTS, [name.split(",")[0]!]: 1 }, name);
    assert.equal(last, 1100n, name);
  }
});

Deno.test("a reading in which nothing was written leaves the latest end where it was", () => {
  const { passes, defects, last } = cleanPasses([pass(10, 20), pass(20, 30)], 30n);
  assert.deepEqual(passes, [null, null]);
  assert.equal(defects.stale, 2);
  assert.equal(last, 30n);
});

Deno.test("on a clock of 65.536 us steps short passes are counted as quantised", () => {
  const step = 65536;
  const ticks = [[1, 2], [2, 5], [5, 12], [14, 15], [20, 31], [33, 38]];
  const { defects, resolution } = cleanPasses(ticks.map(([a, b]) => pass(a! * step, b! * step)), 1n);
  assert.equal(resolution, step);
  assert.equal(defects.quantised, 2);
});

Deno.test("the step of a clock: whole, rounded from a fraction, finer than seen, unknown", () => {
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

Deno.test("defects of readings add up", () => {
  const one = { ...NO_DEFECTS, stale: 2, zero: 1 };
  assert.deepEqual(addDefects(one, one), { ...NO_DEFECTS, stale: 4, zero: 2 });
});

function generator(seed: number): () => number {
  return () => (seed = (seed * 48271) % 2147483647) / 2147483647;
}
