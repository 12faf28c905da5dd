import assert from "node:assert/strict";
import { DeviceError } from "../../runtime/core/errors.ts";
import { bind, encodePass, uniformBytes } from "../../runtime/device/bind.ts";
import { defineKernel } from "../../runtime/device/kernel.ts";
import { testDevice } from "../support/evaluate.ts";

const add = (amount: number) =>
  defineKernel({
    name: "add",
    buffers: { sum: { ref: { output: 0 }, type: "u32" } },
    uniforms: { amount },
    workgroupSize: [1],
    grid: [1],
    body: "sum[0] = sum[0] + u.amount;",
  });
const double = defineKernel({
  name: "double",
  buffers: { sum: { ref: { output: 0 }, type: "u32" } },
  workgroupSize: [1],
  grid: [1],
  body: "sum[0] = sum[0] * 2u;",
});

Deno.test("a repeated pass runs its kernels in order, each with its own uniforms", async () => {
  const device = await testDevice();
  const before = device.bytes;
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC;
  const buffer = device.buffer("sum", 16, usage);
  const pipelines = device.pipelines.size;
  const bound = await bind(device, [add(1), double, add(5)].map((kernel) => ({ kernel, buffers: [{ buffer }] })));
  assert.deepEqual(device.pipelines.size - pipelines, 2);
  const encoder = device.gpu.createCommandEncoder();
  encodePass(encoder, "test", bound.dispatches, undefined, 2);
  device.submit(encoder);
  const [bytes] = await device.read([{ buffer, offset: 0, size: 4 }]);
  assert.deepEqual(new Uint32Array(bytes!)[0], ((0 + 1) * 2 + 5 + 1) * 2 + 5);
  bound.free();
  device.free(buffer);
  assert.deepEqual(device.bytes, before);
});

Deno.test("each uniform block is aligned, and the buffer is never empty", () => {
  assert.deepEqual(uniformBytes([double]), 16);
  assert.deepEqual(uniformBytes([add(1), double, add(2)]), 512);
});

Deno.test("a kernel that does not compile leaves nothing on the device", async () => {
  const device = await testDevice();
  const before = device.bytes;
  const broken = { ...double, name: "broken", wgsl: "@compute @workgroup_size(1) fn main() { nothing(); }" };
  await assert.rejects(
    () => bind(device, [{ kernel: add(1), buffers: [] }, { kernel: broken, buffers: [] }]),
    DeviceError,
  );
  assert.deepEqual(device.bytes, before);
});
