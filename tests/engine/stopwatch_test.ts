import assert from "node:assert/strict";
import { bind } from "../../runtime/device/bind.ts";
import { Device } from "../../runtime/device/device.ts";
import { defineKernel } from "../../runtime/device/kernel.ts";
import { Stopwatch } from "../../runtime/engine/stopwatch.ts";
import { testDevice } from "../support/evaluate.ts";

/** A device without timestamp queries. */
class Untimed extends Device {
  override get timestamps(): boolean {
    return false;
  }
}

const count = defineKernel({
  name: "count",
  buffers: { runs: { ref: { output: 0 }, type: "u32" } },
  workgroupSize: [1],
  grid: [1],
  body: "runs[0] = runs[0] + 1u;",
});

async function examine(device: Device) {
  const buffer = device.buffer("runs", 16, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC);
  const kernels = await bind(device, [{ kernel: count, buffers: [{ buffer }] }]);
  const stopwatch = new Stopwatch(device);
  stopwatch.run(kernels, { timed: false });
  stopwatch.run(kernels);
  stopwatch.run(kernels, { repeats: 3 });
  const first = await stopwatch.read();
  const second = await stopwatch.read();
  await stopwatch.fastest(kernels, 2);
  const [bytes] = await device.read([{ buffer, offset: 0, size: 4 }]);
  kernels.free();
  stopwatch.free();
  device.free(buffer);
  return { clock: stopwatch.clock, timed: [first.length, second.length], runs: new Uint32Array(bytes!)[0] };
}

Deno.test("each timed run is read exactly once", async () => {
  assert.deepEqual(await examine(await testDevice()), { clock: "device", timed: [2, 0], runs: 7 });
});

Deno.test("a device without timestamps is timed on the host's clock", async () => {
  const { gpu, info, traits } = await testDevice();
  assert.deepEqual(await examine(new Untimed(gpu, info, traits)), { clock: "host", timed: [2, 0], runs: 7 });
});
