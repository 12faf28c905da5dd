import assert from "node:assert/strict";
import { Device } from "../../../runtime/device/device.ts";
import { Probe } from "../../../runtime/experiment/rounds/probe.ts";

Deno.test("the probe can be timed repeatedly and frees its memory", async () => {
  const device = await Device.open();
  const before = device.bytes;
  const probe = await Probe.create(device);
  const during = device.bytes;
  for (let i = 0; i < 3; i++) assert.ok((await probe.time())! > 0);
  assert.equal(device.bytes, during);
  probe.free();
  assert.equal(device.bytes, before);
  device.destroy();
});
