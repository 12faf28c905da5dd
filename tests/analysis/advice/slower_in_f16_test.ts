import assert from "node:assert/strict";
import { slowerInF16 } from "../../../runtime/analysis/advice/slower_in_f16.ts";
import { applied, apply, config, input, measured, op, peaks, said, softwarePeaks } from "./fixture.ts";

const net = [
  op("conv1", { mean: 40, flops: 1e11, bytes: 1e6 }),
  op("bn1", { type: "batch_norm", mean: 10, flops: 1e6, bytes: 1e9 }),
  op("relu1", { type: "relu", mean: 20, flops: 1e6, bytes: 1e9 }),
  op("conv1/weight_grad", { type: "conv2d_weight_grad", phase: "backward", mean: 30, flops: 1e11, bytes: 1e6 }),
];

const o2 = config({ amp: { level: "O2", keepF32: ["fc"] } });

Deno.test("slower in f16: keeps a slower layer in f32", () => {
  const half = [op("conv1", { mean: 20, dtype: "f16" }), op("conv2", { mean: 30, dtype: "f16" })];
  const single = [op("conv1", { mean: 40 }), op("conv2", { mean: 15 })];
  const variant = measured({}, { config: o2, ops: half });
  const { changes, gain } = said(apply(slowerInF16, input(variant, { baseline: measured({}, { ops: single }) })));
  assert.deepEqual(changes, ['amp.keepF32: ["fc"] -> ["fc","conv2"]']);
  assert.equal(gain, 100 / 85);
});

Deno.test("slower in f16: proposes O0 if most layers are slower", () => {
  const half = [op("conv1", { mean: 50, dtype: "f16" }), op("conv2", { mean: 30, dtype: "f16" })];
  const single = [op("conv1", { mean: 40 }), op("conv2", { mean: 15 })];
  const variant = measured({}, { config: o2, ops: half });
  const { changes, gain } = said(apply(slowerInF16, input(variant, { baseline: measured({}, { ops: single }) })));
  assert.deepEqual(changes, ['amp.level: "O2" -> "O0"']);
  assert.equal(gain, 100 / 75);
});

Deno.test("slower in f16: by the peaks, what only mixed precision does is saved if no f32 ops were timed", () => {
  const ops = [
    ...net.map((one) => ({ ...one, dtype: "f16" })),
    op("conv1.weight.cast", { type: "cast", roles: ["conversion"], mean: 15 }),
    op("@update.overflow_test", { type: "overflow_test", phase: "update", mean: 10 }),
  ];
  const variant = measured({}, { config: o2, ops });
  const { changes, gain } = said(apply(slowerInF16, input(variant, { peaks: softwarePeaks })));
  assert.deepEqual(changes, ['amp.level: "O2" -> "O0"']);
  // 25 of 125 ms of ops, and 92 ms on the device
  assert.equal(gain, 100 / (100 - 92 * 25 / 125));
  assert.equal(apply(slowerInF16, input(variant, { peaks })), null);
  assert.equal(apply(slowerInF16, input(variant)), null);
});

Deno.test("slower in f16: quiet if all layers are faster, and in f32", () => {
  const half = [op("conv1", { mean: 20, dtype: "f16" })];
  const baseline = measured({}, { ops: [op("conv1", { mean: 40 })] });
  assert.equal(applied(slowerInF16, {}, { config: o2, ops: half }, { baseline, peaks }), null);
  assert.equal(applied(slowerInF16, {}, { ops: half }, { baseline, peaks: softwarePeaks }), null);
});
