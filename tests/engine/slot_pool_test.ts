import assert from "node:assert/strict";
import { Device } from "../../runtime/device/device.ts";
import { mergeSlots, SlotPool } from "../../runtime/engine/slot_pool.ts";

Deno.test("each slot is as large as the largest plan needs", () => {
  assert.deepEqual(mergeSlots([[64, 32], [48, 40, 16], []]), [64, 40, 16]);
  assert.deepEqual(mergeSlots([]), []);
});

Deno.test("a slot that grows keeps the smaller buffer until all slots are freed", async () => {
  const device = await Device.open();
  try {
    const before = device.bytes;
    const pool = new SlotPool(device);
    pool.reserve([64, 32]);
    const [first, second] = [pool.buffer(0), pool.buffer(1)];
    assert.equal(pool.buffer(0), first);
    pool.reserve([128, 32, 16]);
    const grown = pool.buffer(0);
    assert.notEqual(grown, first);
    assert.equal(grown.size, 128);
    assert.equal(pool.buffer(1), second);
    assert.equal(device.bytes - before, 64 + 32 + 128);
    assert.throws(() => pool.buffer(3), /Slot 3 was not reserved/);
    pool.free();
    assert.equal(device.bytes, before);
    assert.throws(() => pool.buffer(0), /Slot 0 was not reserved/);
    pool.reserve([16]);
    assert.deepEqual([pool.buffer(0).size, device.bytes - before], [16, 16]);
    pool.free();
  } finally {
    device.destroy();
  }
});
