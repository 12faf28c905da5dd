import assert from "node:assert/strict";
import { fuseOps } from "../../../runtime/analysis/advice/fuse_ops.ts";
import { applied, apply, config, input, measured, op, pipeline, said } from "./fixture.ts";

const net = [
  op("conv1", { mean: 40, flops: 1e11, bytes: 1e6 }),
  op("bn1", { type: "batch_norm", mean: 10, flops: 1e6, bytes: 1e9 }),
  op("relu1", { type: "relu", mean: 20, flops: 1e6, bytes: 1e9 }),
  op("conv1/weight_grad", { type: "conv2d_weight_grad", phase: "backward", mean: 30, flops: 1e11, bytes: 1e6 }),
];

Deno.test("fuse ops: proposes fusing activations into the op before them", () => {
  const apart = measured({}, { ops: net, config: config({ compile: { fusion: false } }) });
  const { changes, gain } = said(apply(fuseOps, input(apart)));
  assert.deepEqual(changes, ["compile.fusion: false -> true"]);
  assert.ok(Math.abs(gain - 100 / (100 - 92 * 0.2)) < 1e-9, `${gain}`);
  assert.equal(applied(fuseOps, {}, { ops: net }), null);
  const none = measured({}, { ops: net.slice(0, 2), config: config({ compile: { fusion: false } }) });
  assert.equal(apply(fuseOps, input(none)), null);
  const joined = net.map((one) => ({ ...one, members: [one.id, "other"] }));
  const some = config({ compile: { fusion: ["add-relu"] } });
  assert.equal(applied(fuseOps, {}, { ops: joined, config: some }), null);
});

Deno.test("fuse ops: the supply of batches limits the gain", () => {
  const apart = config({ compile: { fusion: false } });
  const gainOf = (make: number, numWorkers: number, settings = apart, reader = 1) => {
    const loader = pipeline(make, { numWorkers });
    return applied(fuseOps, { reader }, { ops: net, config: settings, pipeline: loader })?.predicted ??
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
