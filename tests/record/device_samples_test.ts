import assert from "node:assert/strict";
import { addDefects, cleanPasses, NO_DEFECTS } from "../../runtime/record/device_samples.ts";

const pass = (begin: number, end: number) => ({ begin: BigInt(begin), end: BigInt(end) });

Deno.test("valid passes are unchanged", () => {
  const raw = [pass(100, 200), pass(200, 350), pass(400, 401)];
  const { passes, defects, last } = cleanPasses(raw, 50n);
  assert.deepEqual(passes, raw);
  assert.deepEqual(defects, NO_DEFECTS);
  assert.equal(last, 401n);
});

Deno.test("each defect is counted by name, and only overlapping passes are repaired", () => {
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

Deno.test("a reading without new timestamps does not move the latest end", () => {
  const { passes, defects, last } = cleanPasses([pass(10, 20), pass(20, 30)], 30n);
  assert.deepEqual(passes, [null, null]);
  assert.equal(defects.stale, 2);
  assert.equal(last, 30n);
});

Deno.test("passes not longer than the clock's step of 65.536 us count as quantised", () => {
  const step = 65536;
  const ticks = [[1, 2], [2, 5], [5, 12], [14, 15], [20, 31], [33, 38]];
  const { defects, resolution } = cleanPasses(ticks.map(([a, b]) => pass(a! * step, b! * step)), 1n);
  assert.equal(resolution, step);
  assert.equal(defects.quantised, 2);
});

Deno.test("defects of readings are summed", () => {
  const one = { ...NO_DEFECTS, stale: 2, zero: 1 };
  assert.deepEqual(addDefects(one, one), { ...NO_DEFECTS, stale: 4, zero: 2 });
});
