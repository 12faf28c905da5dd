import assert from "node:assert/strict";
import { largerBatch } from "../../../runtime/analysis/advice/larger_batch.ts";
import { apply, input, measured, said } from "./fixture.ts";

Deno.test("larger batch: proposes the largest batch that fits if a step has fixed costs", () => {
  const variant = measured({ step: 100, reader: 0, gap: 10, forward: 29, backward: 59, update: 2 });
  const { changes, gain } = said(apply(largerBatch, input(variant, { memoryLimit: 600 * 2 ** 20 })));
  assert.deepEqual(changes, ["loader.batchSize: 32 -> 128"]);
  assert.ok(Math.abs(gain - 100 / (12 / 4 + 88)) < 1e-9, `${gain}`);
  assert.equal(apply(largerBatch, input(variant)), null, "no limit is known");
  assert.equal(apply(largerBatch, input(variant, { memoryLimit: 195 * 2 ** 20 })), null);
  const busy = measured({ step: 100, reader: 0, gap: 0.2, forward: 34, backward: 65, update: 0.8 });
  assert.equal(apply(largerBatch, input(busy, { memoryLimit: 2 ** 34 })), null);
});
