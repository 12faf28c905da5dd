import assert from "node:assert/strict";
import { amp } from "../../../runtime/analysis/advice/amp.ts";
import type { OpWork, PlanStep } from "../../../runtime/analysis/advice/planned_step.ts";
import { applied, apply, bottleneck, config, input, measured, op, peaks, said, softwarePeaks } from "./fixture.ts";

const net = [
  op("conv1", { mean: 40, flops: 1e11, bytes: 1e6 }),
  op("bn1", { type: "batch_norm", mean: 10, flops: 1e6, bytes: 1e9 }),
  op("relu1", { type: "relu", mean: 20, flops: 1e6, bytes: 1e9 }),
  op("conv1/weight_grad", { type: "conv2d_weight_grad", phase: "backward", mean: 30, flops: 1e11, bytes: 1e6 }),
];

Deno.test("amp: proposes O2 if the adapter's f16 peak is higher", () => {
  const { changes, gain } = said(applied(amp, {}, { ops: net }, { peaks }));
  assert.deepEqual(changes, ['amp.level: "O0" -> "O2"']);
  // All 100 ms of ops halve, the norm's data too; 92 ms are on the device
  assert.ok(Math.abs(gain - 100 / (100 - 92 * 0.5)) < 1e-9, `${gain}`);
  const others = [
    op("loss", { type: "cross_entropy", mean: 50, flops: 1e6, bytes: 1e9 }),
    op("drop", { type: "dropout", mean: 50, flops: 1e6, bytes: 1e9 }),
    op("@update.adam", { type: "adam", phase: "update", mean: 100 }),
  ];
  // Of 300 ms the loss's 50 and the update's 100 stay
  const { gain: less } = said(applied(amp, {}, { ops: [...net, ...others] }, { peaks }));
  assert.ok(Math.abs(less - 100 / (100 - 92 * 75 / 300)) < 1e-9, `${less}`);
});

Deno.test("amp: quiet on an adapter slower in f16 or without it, and if AMP is on", () => {
  const variant = measured({}, { ops: net });
  assert.equal(apply(amp, input(variant, { peaks: softwarePeaks, software: true })), null);
  assert.equal(apply(amp, input(variant, { peaks: { ...peaks, f16: null } })), null);
  assert.equal(apply(amp, input(variant)), null, "no peaks, no prediction");
  assert.equal(
    applied(amp, {}, { ops: net, config: config({ amp: { level: "O2" } }) }, { peaks }),
    null,
  );
});

Deno.test("amp: counts the launches and bytes of what only mixed precision does", () => {
  const work = (dispatches: number, bytes = 0): OpWork => (
    { flops: 0, bytes, elements: 1, dispatches, workgroups: 1, recomputed: false }
  );
  const plan: PlanStep = ({ amp }) => ({
    memory: measured().memory!,
    work: new Map([
      ...net.map(({ id }): [string, OpWork] => [id, work(1)]),
      ...amp === "O2" ? [["conv1.weight.cast", work(2, peaks.copy.value / 1000)] as const] : [],
    ]),
  });
  // A launch takes 1 of 100 ms; the ops reach half of the roof otherwise
  const ops = net.map((one) => ({ ...one, mean: 25, median: 25, flops: 0, bytes: 12 * peaks.copy.value / 1000 }));
  const fields = { ops, bottleneck: bottleneck({ free: 1, launch: 0.04 }) };
  const { gain } = said(applied(amp, {}, fields, { peaks, plan }));
  const half = 4 * (1 + 24 / 2);
  const added = 2 * 1 + 1 / 0.5;
  assert.ok(Math.abs(gain - 100 / (100 - 92 * (1 - (half + added) / 100))) < 1e-9, `${gain}`);
});
