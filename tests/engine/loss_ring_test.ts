import assert from "node:assert/strict";
import fc from "../packages/fast_check.ts";
import { decodeOutcomes, ringRanges } from "../../runtime/engine/model_state.ts";

const STEPS = 4096;

Deno.test("ranges of the ring hold the entries of the steps, in order", () => {
  fc.assert(fc.property(fc.nat(20000), fc.integer({ min: 1, max: 6000 }), (first, count) => {
    const places = ringRanges(first, count).flatMap(({ offset, size }) => {
      assert.ok(offset % 16 === 0 && size % 16 === 0 && offset + size <= STEPS * 16);
      return Array.from({ length: size / 16 }, (_, i) => offset / 16 + i);
    });
    const kept = Math.min(count, STEPS);
    const wanted = Array.from({ length: kept }, (_, i) => (first + count - kept + i) % STEPS);
    assert.deepEqual(places, wanted);
  }));
});

Deno.test("entries of the ring say loss, scale and whether the step was skipped", () => {
  const values = Float32Array.of(1.5, 8, 0, 0, Infinity, 4, 1, 0);
  assert.deepEqual(decodeOutcomes(values.buffer), [
    { loss: 1.5, lossScale: 8, skipped: false },
    { loss: Infinity, lossScale: 4, skipped: true },
  ]);
});
