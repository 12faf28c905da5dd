/** Rules on what runs on the device. */
import assert from "node:assert/strict";
import { align } from "../../../runtime/analysis/advice/align.ts";
import { amp } from "../../../runtime/analysis/advice/amp.ts";
import { autotune } from "../../../runtime/analysis/advice/autotune.ts";
import { fuseOps } from "../../../runtime/analysis/advice/fuse_ops.ts";
import { layout } from "../../../runtime/analysis/advice/layout.ts";
import { slowOp } from "../../../runtime/analysis/advice/slow_op.ts";
import { slowerInF16 } from "../../../runtime/analysis/advice/slower_in_f16.ts";
import { apply, bottleneck, config, input, measured, op, peaks, pipeline, said, softwarePeaks } from "./fixture.ts";

const net = [
  op("conv1", { mean: 40, flops: 1e11, bytes: 1e6 }),
  op("bn1", { type: "batch_norm", mean: 10, flops: 1e6, bytes: 1e9 }),
  op("relu1", { type: "relu", mean: 20, flops: 1e6, bytes: 1e9 }),
  op("conv1/weight_grad", { type: "conv2d_weight_grad", phase: "backward", mean: 30, flops: 1e11, bytes: 1e6 }),
];

Deno.test("amp: where the adapter's peak in f16 is higher", () => {
  const { changes, gain } = said(apply(amp, input(measured({}, { ops: net }), { peaks })));
  assert.deepEqual(changes, ['amp.level: "O0" -> "O2"']);
  // All 100 ms of ops halve, the norm's data too; 92 ms are on the device
  assert.ok(Math.abs(gain - 100 / (100 - 92 * 0.5)) < 1e-9, `${gain}`);
  const others = [
    op("loss", { type: "cross_entropy", mean: 50, flops: 1e6, bytes: 1e9 }),
    op("drop", { type: "dropout", mean: 50, flops: 1e6, bytes: 1e9 }),
    op("@update.adam", { type: "adam", phase: "update", mean: 100 }),
  ];
  // Of 300 ms the loss's 50 and the update's 100 stay
  const { gain: less } = said(apply(amp, input(measured({}, { ops: [...net, ...others] }), { peaks })));
  assert.ok(Math.abs(less - 100 / (100 - 92 * 75 / 300)) < 1e-9, `${less}`);
});

Deno.test("amp: never on an adapter that is slower in f16, without f16, or where it is on", () => {
  const variant = measured({}, { ops: net });
  assert.equal(apply(amp, input(variant, { peaks: softwarePeaks, software: true })), null);
  assert.equal(apply(amp, input(variant, { peaks: { ...peaks, f16: null } })), null);
  assert.equal(apply(amp, input(variant)), null, "no peaks, no prediction");
  assert.equal(
    apply(amp, input(measured({}, { ops: net, config: config({ amp: { level: "O2" } }) }), { peaks })),
    null,
  );
});

const o2 = config({ amp: { level: "O2", keepF32: ["fc"] } });

Deno.test("slower in f16: a layer that lost is kept in f32", () => {
  const half = [op("conv1", { mean: 20, dtype: "f16" }), op("conv2", { mean: 30, dtype: "f16" })];
  const single = [op("conv1", { mean: 40 }), op("conv2", { mean: 15 })];
  const variant = measured({}, { config: o2, ops: half });
  const { changes, gain } = said(apply(slowerInF16, input(variant, { baseline: measured({}, { ops: single }) })));
  assert.deepEqual(changes, ['amp.keepF32: ["fc"] -> ["fc","conv2"]']);
  assert.equal(gain, 100 / 85);
});

Deno.test("slower in f16: where most is slower, the level is wrong", () => {
  const half = [op("conv1", { mean: 50, dtype: "f16" }), op("conv2", { mean: 30, dtype: "f16" })];
  const single = [op("conv1", { mean: 40 }), op("conv2", { mean: 15 })];
  const variant = measured({}, { config: o2, ops: half });
  const { changes, gain } = said(apply(slowerInF16, input(variant, { baseline: measured({}, { ops: single }) })));
  assert.deepEqual(changes, ['amp.level: "O2" -> "O0"']);
  assert.equal(gain, 100 / 75);
});

Deno.test("slower in f16: by the peaks where the same ops were not timed in f32", () => {
  const ops = net.map((one) => ({ ...one, dtype: "f16" }));
  const variant = measured({}, { config: o2, ops });
  assert.deepEqual(said(apply(slowerInF16, input(variant, { peaks: softwarePeaks }))).changes, [
    'amp.level: "O2" -> "O0"',
  ]);
  assert.equal(apply(slowerInF16, input(variant, { peaks })), null);
  assert.equal(apply(slowerInF16, input(variant)), null);
});

Deno.test("slower in f16: quiet where all got faster, and in f32", () => {
  const half = [op("conv1", { mean: 20, dtype: "f16" })];
  const baseline = measured({}, { ops: [op("conv1", { mean: 40 })] });
  assert.equal(apply(slowerInF16, input(measured({}, { config: o2, ops: half }), { baseline, peaks })), null);
  assert.equal(apply(slowerInF16, input(measured({}, { ops: half }), { baseline, peaks: softwarePeaks })), null);
});

Deno.test("fuse ops: activations that could end the op before them", () => {
  const apart = measured({}, { ops: net, config: config({ compile: { fusion: false } }) });
  const { changes, gain } = said(apply(fuseOps, input(apart)));
  assert.deepEqual(changes, ["compile.fusion: false -> true"]);
  assert.ok(Math.abs(gain - 100 / (100 - 92 * 0.2)) < 1e-9, `${gain}`);
  assert.equal(apply(fuseOps, input(measured({}, { ops: net }))), null);
  const none = measured({}, { ops: net.slice(0, 2), config: config({ compile: { fusion: false } }) });
  assert.equal(apply(fuseOps, input(none)), null);
  const joined = net.map((one) => ({ ...one, members: [one.id, "other"] }));
  const some = config({ compile: { fusion: ["add-relu"] } });
  assert.equal(apply(fuseOps, input(measured({}, { ops: joined, config: some }))), null);
});

Deno.test("a faster device shortens no step below the time in which batches come", () => {
  const apart = config({ compile: { fusion: false } });
  const gainOf = (make: number, numWorkers: number, settings = apart, reader = 1) => {
    const loader = pipeline(make, { numWorkers });
    return apply(fuseOps, input(measured({ reader }, { ops: net, config: settings, pipeline: loader })))?.predicted ??
      null;
  };
  assert.ok(Math.abs(gainOf(100, 2)!.gain - 100 / (100 - 92 * 0.2)) < 1e-9, "50 ms a batch hold nothing up");
  assert.equal(gainOf(180, 2)!.gain, 100 / 90);
  assert.match(gainOf(180, 2)!.reasoning, /a batch arrives every 90.0 ms/);
  assert.equal(gainOf(300, 2), null, "the step waits for its batch whatever the device does");
  const sunk = { ...apart, sink: 10 };
  assert.equal(gainOf(85, 0, sunk, 85)!.gain, 100 / 85);
  assert.ok(Math.abs(gainOf(85, 0, apart, 85)!.gain - 100 / (100 - 92 * 0.2)) < 1e-9, "made between the steps");
});

/** Convolutions of 1 GFLOP, of which one takes `slow` ms and the others 2: at 10 TFLOP/s that is 5 % of the roof. */
function convolutions(slow: number) {
  return [2, 2, 2, 2, slow].map((mean, i) => op(`conv${i}`, { mean, flops: 1e9, bytes: 1e3 }));
}

Deno.test("autotune: products that reach less than others of their type", () => {
  const { changes, gain } = said(apply(autotune, input(measured({}, { ops: convolutions(4) }), { peaks })));
  assert.deepEqual(changes, ["compile.autotune: null -> true"]);
  assert.ok(Math.abs(gain - 100 / (100 - 92 * 2 / 12)) < 1e-9, `${gain}`);
});

Deno.test("autotune: quiet where all are alike, where it is on, and where launching is all that they do", () => {
  assert.equal(apply(autotune, input(measured({}, { ops: convolutions(2) }), { peaks })), null);
  assert.equal(apply(autotune, input(measured({}, { ops: convolutions(4) }))), null);
  const tuned = measured({}, { ops: convolutions(4), config: config({ compile: { autotune: { start: 1 } } }) });
  assert.equal(apply(autotune, input(tuned, { peaks })), null);
  const launching = measured({}, { ops: convolutions(4), bottleneck: bottleneck({ free: 1, launch: 0.8 }) });
  assert.equal(apply(autotune, input(launching, { peaks })), null);
});

Deno.test("autotune: what has less work for a byte is not held against the rest", () => {
  const narrow = [...convolutions(2).slice(1), op("first", { mean: 4, flops: 1e9, bytes: 1e6 })];
  assert.equal(apply(autotune, input(measured({}, { ops: narrow }), { peaks })), null);
  const small = [...convolutions(2).slice(1), op("small", { mean: 4, flops: 1e7, bytes: 10 })];
  assert.equal(apply(autotune, input(measured({}, { ops: small }), { peaks })), null);
});

Deno.test("slow op: one that takes much and reaches little", () => {
  const finding = apply(slowOp, input(measured({}, { ops: convolutions(8) }), { peaks }));
  const { changes, gain } = said(finding);
  assert.deepEqual(changes, ["compile.autotune: null -> true"]);
  assert.ok(Math.abs(gain - 100 / (100 - 92 * 6 / 16)) < 1e-9, `${gain}`);
  assert.equal(finding!.evidence[0]!.where, "op:conv4");
  const tuned = measured({}, { ops: convolutions(8), config: config({ compile: { autotune: {} } }) });
  assert.deepEqual(said(apply(slowOp, input(tuned, { peaks }))).changes, [], "tuning has had its try");
  assert.equal(apply(slowOp, input(measured({}, { ops: convolutions(3) }), { peaks })), null);
});

Deno.test("slow op: one of a kind is held against all others, with allowance", () => {
  const all = (
    share: number,
  ) => [...convolutions(2), op("odd", { type: "gelu", mean: 0.1 / share, flops: 1e9, bytes: 1e3 })];
  const finding = apply(slowOp, input(measured({}, { ops: all(0.01) }), { peaks }));
  assert.deepEqual(said(finding).changes, [], "tuning is for products");
  assert.equal(apply(slowOp, input(measured({}, { ops: all(0.02) }), { peaks })), null);
});

Deno.test("layout: conversions that another order spares", () => {
  const ops = [op("conv1", { mean: 90 }), op("conv1/layout", { type: "to_layout", mean: 10 })];
  const forced = measured({}, { ops, config: config({ compile: { layout: "nchw" } }) });
  const { changes, gain } = said(apply(layout, input(forced)));
  assert.deepEqual(changes, ['compile.layout: "nchw" -> "auto"']);
  assert.ok(Math.abs(gain - 100 / (100 - 92 * 0.1)) < 1e-9, `${gain}`);
  assert.equal(apply(layout, input(measured({}, { ops }))), null);
  const same = measured({}, { ops, config: config({ compile: { layout: "nhwc" } }) });
  assert.equal(apply(layout, input(same)), null, "auto is nhwc");
  const slower = measured({}, { ops: ops.slice(0, 1), config: config({ compile: { layout: "nchw" } }) });
  assert.equal(apply(layout, input(slower)), null);
  said(apply(layout, input(slower, { baseline: measured({}, { ops: [op("conv1", { mean: 45 })] }) })));
});

function linear(id: string, features: number, mean: number) {
  const tensor = (size: number) => ({ shape: [32, size], dtype: "f32" });
  return op(id, { type: "linear", mean, flops: 1e9, bytes: 1e3, inputs: [tensor(64)], outputs: [tensor(features)] });
}

Deno.test("align: sizes that leave tiles half empty", () => {
  const finding = apply(
    align,
    input(measured({}, { ops: [linear("a", 64, 2), linear("b", 64, 2), linear("c", 33, 4)] }), { peaks }),
  );
  const { changes, gain } = said(finding);
  assert.deepEqual(changes, [], "the script has to change");
  assert.ok(Math.abs(gain - 100 / (100 - 92 * 4 * (7 / 40) / 8)) < 1e-9, `${gain}`);
});

Deno.test("align: quiet where odd sizes are as fast, and for those of the data", () => {
  const fast = [linear("a", 64, 2), linear("b", 64, 2), linear("c", 33, 2)];
  assert.equal(apply(align, input(measured({}, { ops: fast }), { peaks })), null);
  const classes = [linear("a", 64, 2), linear("b", 64, 2), linear("fc", 10, 4)];
  assert.equal(apply(align, input(measured({}, { ops: classes }), { peaks })), null);
});
