import assert from "node:assert/strict";
import { recompute } from "../../../runtime/analysis/advice/recompute.ts";
import { apply, bottleneck, config, input, measured, said } from "./fixture.ts";

const MIB = 2 ** 20;

/** Half of the activations of the fixture's variant. */
const memory = {
  peak: 50 * MIB,
  parameters: MIB,
  gradients: MIB,
  optimizer: MIB,
  activations: 44 * MIB,
  workspace: 2 * MIB,
  feed: MIB,
};

const step = { step: 100, reader: 0, gap: 40, forward: 18, backward: 40, update: 2 };

Deno.test("recompute: proposes the batch that fits then, with the price of the second forward pass", () => {
  const variant = measured(step);
  const facts = { memoryLimit: 130 * MIB, recomputed: () => ({ memory, added: 0.5 }) };
  const finding = apply(recompute, input(variant, facts));
  const { changes, gain } = said(finding);
  assert.deepEqual(changes, [`recompute: "none" -> "blocks"`, "loader.batchSize: 32 -> 64"]);
  // 40 ms of the host and 2 of the update are spread over two batches, half of the forward pass comes again
  assert.ok(Math.abs(gain - 100 / (100 - 21 + 9)) < 1e-9, `${gain}`);
  assert.match(finding!.predicted!.reasoning, /repeats 50.0 % of the forward pass's work, 9.00 ms/);
});

Deno.test("recompute: a step that accumulates keeps its samples in fewer micro-batches", () => {
  const variant = measured(step, {
    config: config({ accumulate: 6 }),
    bottleneck: bottleneck({ free: 1, launch: 0.3 }),
  });
  const facts = { memoryLimit: 400 * MIB / 3, recomputed: () => ({ memory, added: 0.25 }) };
  const { changes, gain } = said(apply(recompute, input(variant, facts)));
  assert.deepEqual(changes, [
    `recompute: "none" -> "blocks"`,
    "loader.batchSize: 32 -> 64",
    "accumulate: 6 -> 3",
  ]);
  // Launches, 0.3 of 60 ms, are per micro-batch; the host's work is per step
  assert.ok(Math.abs(gain - 100 / (100 - 9 + 4.5)) < 1e-9, `${gain}`);
});

Deno.test("recompute: says nothing where memory does not bound the batch, or blocks save nothing", () => {
  const variant = measured(step);
  const saved = () => ({ memory, added: 0.1 });
  assert.equal(apply(recompute, input(variant, { memoryLimit: 1000 * MIB, recomputed: saved })), null);
  assert.equal(apply(recompute, input(variant, { memoryLimit: 130 * MIB, recomputed: () => null })), null);
  assert.equal(apply(recompute, input(variant, { memoryLimit: 130 * MIB })), null);
  const same = () => ({ memory: variant.memory!, added: 0.1 });
  assert.equal(apply(recompute, input(variant, { memoryLimit: 130 * MIB, recomputed: same })), null);
  const again = measured(step, { config: config({ recompute: "blocks" }) });
  assert.equal(apply(recompute, input(again, { memoryLimit: 130 * MIB, recomputed: saved })), null);
  const dear = () => ({ memory, added: 3 });
  assert.equal(apply(recompute, input(variant, { memoryLimit: 130 * MIB, recomputed: dear })), null, "costs more");
});
