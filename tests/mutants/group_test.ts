import assert from "node:assert/strict";
import { culprits } from "./group.ts";

Deno.test("the faults that a test finds are identified in few runs", async () => {
  const faults = Array.from({ length: 64 }, (_, i) => i);
  for (const bad of [[], [0], [63], [5, 6], [0, 31, 32, 63]]) {
    let runs = 0;
    const fails = (some: readonly number[]) => Promise.resolve((runs++, some.some((fault) => bad.includes(fault))));
    assert.deepEqual((await culprits(faults, fails)).toSorted((a, b) => a - b), bad);
    assert.ok(runs <= 1 + 8 * bad.length, `${runs} runs for ${bad.length} faults`);
  }
});

Deno.test("faults that a test finds only together are left", async () => {
  const fails = (some: readonly number[]) => Promise.resolve(some.includes(1) && some.includes(2));
  assert.deepEqual(await culprits([0, 1, 2, 3], fails), []);
});
