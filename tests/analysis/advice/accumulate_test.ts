import assert from "node:assert/strict";
import { accumulate } from "../../../runtime/analysis/advice/accumulate.ts";
import { apply, config, input, measured, op, said } from "./fixture.ts";

const MIB = 2 ** 20;

const step = { step: 100, reader: 0, gap: 10, forward: 20, backward: 30, update: 40 };

/** An update that moves ten times the gradients. */
const ops = [op("@update.adamW", { phase: "update", bytes: 10 * MIB })];

Deno.test("accumulate: proposes micro-batches where memory bounds the batch and the update takes long", () => {
  const variant = measured(step, { ops });
  const { changes, gain } = said(apply(accumulate, input(variant, { memoryLimit: 130 * MIB })));
  assert.deepEqual(changes, ["accumulate: 1 -> 8"]);
  // The update and the host come once for eight batches; each adds its gradients in 40 * 3 / 10 ms
  assert.ok(Math.abs(gain - 100 / (100 - 50 * 7 / 8 + 12)) < 1e-9, `${gain}`);
});

Deno.test("accumulate: says nothing where memory is left, none is left, or nothing is gained", () => {
  const variant = measured(step, { ops });
  assert.equal(apply(accumulate, input(variant, { memoryLimit: 1000 * MIB })), null, "a larger batch fits");
  assert.equal(apply(accumulate, input(variant, { memoryLimit: 100.5 * MIB })), null, "no room for gradients");
  assert.equal(apply(accumulate, input(variant)), null, "no limit is known");
  const short = measured({ ...step, gap: 0, forward: 30, backward: 69, update: 1 }, { ops });
  assert.equal(apply(accumulate, input(short, { memoryLimit: 130 * MIB })), null, "the update is short");
  const already = measured(step, { ops, config: config({ accumulate: 4 }) });
  assert.equal(apply(accumulate, input(already, { memoryLimit: 130 * MIB })), null);
  const fixed = measured(step, { ops, config: config({ optimizer: null }) });
  assert.equal(apply(accumulate, input(fixed, { memoryLimit: 130 * MIB })), null, "not trained");
});
