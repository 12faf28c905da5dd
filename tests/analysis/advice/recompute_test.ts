import assert from "node:assert/strict";
import { recompute } from "../../../runtime/analysis/advice/recompute.ts";
import type { PlanStep } from "../../../runtime/analysis/advice/planned_step.ts";
import { apply, bottleneck, config, input, measured, op, peaks, said } from "./fixture.ts";

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

const ops = [
  op("fc", { mean: 18 }),
  op("fc/input_grad", { mean: 40, phase: "backward" }),
  op("@update.sgd", { mean: 2, phase: "update" }),
];

/** FLOPs of the forward pass: half of what 18 ms allow. */
const WORK = peaks.f32.value * 18e-3 / 2;

/** Plans whose work grows with the batch, and which compute `added` of the forward pass again. */
const planned = (added: number, saved = memory): PlanStep => ({ batch, recompute = false }) => {
  const grown = (flops: number) => ({
    ...{ flops: flops * batch, bytes: 0, elements: batch, dispatches: 1, workgroups: batch, recomputed: false },
  });
  const fixed = { flops: 0, bytes: 1, elements: 0, dispatches: 1, workgroups: 1, recomputed: false };
  const { peak, activations, workspace, feed } = recompute ? saved : measured().memory!;
  return {
    memory: { ...saved, peak: peak + (activations + workspace + feed) * (batch - 1) },
    work: new Map([
      ["fc", grown(WORK)],
      ["fc/input_grad", grown(WORK * 40 / 18)],
      ["@update.sgd", fixed],
      ...recompute ? [["fc#2/recompute", { ...grown(WORK * added), recomputed: true }] as const] : [],
    ]),
  };
};

Deno.test("recompute: proposes the batch that fits then, with the price of the second forward pass", () => {
  const variant = measured(step, { ops });
  const finding = apply(recompute, input(variant, { memoryLimit: 130 * MIB, peaks, plan: planned(0.5) }));
  const { changes, gain } = said(finding);
  assert.deepEqual(changes, [`recompute: "none" -> "blocks"`, "loader.batchSize: 32 -> 64"]);
  // 40 ms of the host and 2 of the update are spread over two batches, half of the forward pass comes again
  assert.ok(Math.abs(gain - 100 / (100 - 21 + 9)) < 1e-9, `${gain}`);
  assert.match(finding!.predicted!.reasoning, /takes 136 ms on the device instead of 60.0 ms, with 18.0 ms of recompu/);
});

Deno.test("recompute: a step that accumulates keeps its samples in fewer micro-batches", () => {
  const variant = measured(step, {
    ops,
    config: config({ accumulate: 6 }),
    bottleneck: bottleneck({ free: 1, launch: 0.3 }),
  });
  const { changes, gain } = said(
    apply(recompute, input(variant, { memoryLimit: 400 * MIB / 3, peaks, plan: planned(0.25) })),
  );
  assert.deepEqual(changes, [
    `recompute: "none" -> "blocks"`,
    "loader.batchSize: 32 -> 64",
    "accumulate: 6 -> 3",
  ]);
  // Launches, 6 ms of each op but at most its time, are per micro-batch; the host's work is per step
  const [forward, backward] = [6 + 2 * 12, 6 + 2 * 34];
  const micro = (forward + backward + 0.25 * forward) / 2;
  assert.ok(Math.abs(gain - 100 / (40 + micro + 2)) < 1e-9, `${gain}`);
});

Deno.test("recompute: says nothing where memory does not bound the batch, or blocks save nothing", () => {
  const variant = measured(step, { ops });
  assert.equal(apply(recompute, input(variant, { memoryLimit: 1000 * MIB, peaks, plan: planned(0.1) })), null);
  const blocks = planned(0.1);
  const flat: PlanStep = (changes) => changes.recompute === true ? null : blocks(changes);
  assert.equal(apply(recompute, input(variant, { memoryLimit: 130 * MIB, peaks, plan: flat })), null);
  assert.equal(apply(recompute, input(variant, { memoryLimit: 130 * MIB })), null);
  const same = planned(0.1, variant.memory!);
  assert.equal(apply(recompute, input(variant, { memoryLimit: 130 * MIB, peaks, plan: same })), null);
  const again = measured(step, { ops, config: config({ recompute: "blocks" }) });
  assert.equal(apply(recompute, input(again, { memoryLimit: 130 * MIB, peaks, plan: planned(0.1) })), null);
  assert.equal(
    apply(recompute, input(variant, { memoryLimit: 130 * MIB, peaks, plan: planned(3) })),
    null,
    "costs more",
  );
});
