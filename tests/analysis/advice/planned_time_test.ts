import assert from "node:assert/strict";
import { contextOf } from "../../../runtime/analysis/advice/context.ts";
import type { OpWork, PlanStep } from "../../../runtime/analysis/advice/planned_step.ts";
import { plannedTime } from "../../../runtime/analysis/advice/planned_time.ts";
import type { OpRecord } from "../../../runtime/result/schema.ts";
import { bottleneck, input, measured, op, peaks } from "./fixture.ts";

/** FLOPs at the peak, and bytes at the copy bandwidth, in a millisecond. */
const [COMPUTE, MOVE] = [peaks.f32.value / 1000, peaks.copy.value / 1000];

const work = (fields: Partial<OpWork>): OpWork => ({
  ...{ flops: 0, bytes: 0, elements: 1, dispatches: 1, workgroups: 1, recomputed: false },
  ...fields,
});

/** Predicts the device time of a step of one op of 8 ms with a batch four times as large. */
function predict(
  before: Partial<OpWork>,
  after: Partial<OpWork>,
  { more = [], launch = 0, ...fields }: Partial<OpRecord> & { more?: [string, OpWork][]; launch?: number } = {},
) {
  const plan: PlanStep = ({ batch }) => ({
    memory: measured().memory!,
    work: new Map([["fc", work(batch === 1 ? before : after)], ...batch === 1 ? [] : more]),
  });
  const variant = measured({ forward: 8, backward: 0, update: 0 }, {
    ops: [op("fc", { mean: 8, ...fields })],
    bottleneck: bottleneck({ free: 1, launch }),
  });
  return plannedTime(contextOf(input(variant, { peaks, plan }))!, { batch: 4 })!;
}

Deno.test("planned time: an op takes longer by the work that its plan adds", () => {
  const { device } = predict({ flops: 4 * COMPUTE }, { flops: 16 * COMPUTE, elements: 4, workgroups: 4 });
  assert.equal(device, 32, "at half of the peak, as before");
  const moved = predict({ bytes: 2 * MOVE }, { bytes: 8 * MOVE, elements: 4, workgroups: 4 });
  assert.equal(moved.device, 32);
});

Deno.test("planned time: outputs that fill tiles further cost nothing, longer sums do", () => {
  const filled = predict({ flops: 4 * COMPUTE }, { flops: 16 * COMPUTE, elements: 4, workgroups: 1 });
  assert.equal(filled.device, 8);
  const sums = predict({ flops: 4 * COMPUTE }, { flops: 16 * COMPUTE, elements: 1, workgroups: 1 });
  assert.equal(sums.device, 32);
  const split = predict({ flops: 4 * COMPUTE }, { flops: 16 * COMPUTE, elements: 1, workgroups: 4 });
  assert.equal(split.device, 32, "no more than the work itself");
});

Deno.test("planned time: launches stay, and a small kernel does more work at a better rate", () => {
  const launched = predict({ flops: 3 * COMPUTE }, { flops: 12 * COMPUTE, elements: 4, workgroups: 4 }, {
    launch: 0.25,
  });
  assert.equal(launched.device, 8 + 18, "3 of 6 ms are at the peak");
  const small = predict({ flops: 0.01 * COMPUTE }, { flops: 0.04 * COMPUTE, elements: 4, workgroups: 4 });
  assert.ok(small.device < 10, `${small.device}`);
  const long = predict({ flops: 0.01 * COMPUTE }, { flops: 0.04 * COMPUTE, elements: 4, workgroups: 4 }, {
    launch: 0.00125,
  });
  assert.ok(long.device > 28, `a kernel of 800 launches is slow for another reason: ${long.device}`);
});

Deno.test("planned time: activations computed again take the time of their ops", () => {
  const again = predict({ flops: 4 * COMPUTE }, { flops: 16 * COMPUTE, elements: 4, workgroups: 4 }, {
    more: [["fc/recompute", work({ flops: 16 * COMPUTE, recomputed: true })]],
  });
  assert.deepEqual(again, { device: 64, again: 32 });
});

Deno.test("planned time: null without a plan of the change", () => {
  const context = contextOf(input(measured({}, { ops: [op("fc")] }), { peaks, plan: () => null }))!;
  assert.equal(plannedTime(context, { batch: 2 }), null);
  const unplanned = contextOf(input(measured({ forward: 30, backward: 60, update: 2 })))!;
  assert.equal(plannedTime(unplanned, { batch: 2 })!.device, 182, "all but the update grows");
  assert.equal(plannedTime(unplanned, { batch: 2, recompute: true }), null);
});
