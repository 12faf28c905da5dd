import assert from "node:assert/strict";
import { bottleneckOf } from "../../../runtime/analysis/bottleneck/bottleneck.ts";
import { readDevice } from "../../../runtime/analysis/bottleneck/by_device.ts";
import { op, peaks } from "../advice/fixture.ts";
import { variant } from "../../report/result_fixture.ts";
import { simulateAblations } from "./simulated_ablations.ts";

const heavy = op("conv", { type: "conv2d", mean: 60, flops: 1e9, bytes: 1e5 });
const wide = op("relu", { type: "relu", mean: 30, flops: 1e5, bytes: 1e8 });

Deno.test("ops count for their side of the roofline", () => {
  const device = readDevice([heavy, wide], peaks, 0.1)!;
  assert.equal(device.bound, "compute");
  assert.ok(Math.abs(device.compute - 0.6) < 1e-9 && Math.abs(device.memory - 0.3) < 1e-9);
  assert.equal(readDevice([wide], peaks, 0.1)!.bound, "memory");
});

Deno.test("launches dominate if null kernels take almost as long", () => {
  assert.equal(readDevice([heavy, wide], peaks, 0.8)!.bound, "launch");
  assert.equal(readDevice([heavy, wide], peaks, 0.4)!.bound, "mixed");
  assert.equal(readDevice([heavy], peaks, 1.3)!.launch, 1);
});

Deno.test("there is no device bound without ops, peaks or timestamps", () => {
  const step = { input: 1, copy: 0, host: 1, kernels: 60, launch: 3 };
  assert.equal(readDevice([], peaks, 0.1), null);
  const profiled = variant("baseline", { ops: [heavy] });
  assert.equal(bottleneckOf(profiled, simulateAblations(step), null)!.device, null);
  assert.equal(bottleneckOf(profiled, simulateAblations({ ...step, untimed: true }), peaks)!.device, null);
  assert.equal(bottleneckOf(profiled, simulateAblations(step), peaks)!.device!.bound, "compute");
});
