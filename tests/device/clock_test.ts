import assert from "node:assert/strict";
import { Device } from "../../runtime/device/device.ts";
import { sampleClock } from "../../runtime/device/clock.ts";
import { fitClock } from "../../runtime/record/clock_fit.ts";

Deno.test("clock samples increase on both clocks and leave no buffers behind", async () => {
  const device = await Device.open();
  try {
    const before = { bytes: device.bytes, now: performance.now() };
    const samples = [await sampleClock(device), await sampleClock(device)];
    if (!device.timestamps) return assert.deepEqual(samples, [null, null]);
    const [first, second] = samples;
    assert.ok(first && second);
    assert.ok(before.now <= first.hostMs && first.hostMs < second.hostMs && second.hostMs <= performance.now());
    assert.ok(first.deviceNs < second.deviceNs);
    assert.equal(device.bytes, before.bytes);
    const fit = fitClock([first, second])!;
    for (const { deviceNs, hostMs, uncertaintyMs } of [first, second]) {
      assert.ok(Math.abs(fit.toHost(deviceNs) - hostMs) <= uncertaintyMs + fit.offsetUncertaintyMs);
    }
    await device.settle();
  } finally {
    device.destroy();
  }
});
