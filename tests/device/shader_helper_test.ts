import { ok, rejects, strictEqual } from "node:assert/strict";
import { bind, encodePass } from "../../runtime/device/bind.ts";
import { Device } from "../../runtime/device/device.ts";
import { defineKernel } from "../../runtime/device/kernel.ts";
import { ShaderHelper } from "../../runtime/device/shader_helper.ts";

function kernel(body: string) {
  return defineKernel({
    name: "test",
    buffers: { x: { ref: { output: 0 }, type: "u32" } },
    uniforms: { value: 7 },
    workgroupSize: [1],
    grid: [4],
    body,
  });
}

Deno.test("a helper runs a kernel on its own buffers while the device runs the same one", async () => {
  const device = await Device.open();
  const helper = await ShaderHelper.open(device);
  try {
    const spec = kernel("x[wid.x] += u.value;");
    const buffer = device.buffer("x", 16, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC);
    const { dispatches } = await bind(device, [{ kernel: spec, buffers: [{ buffer }] }]);
    await helper.start(spec);
    const encoder = device.gpu.createCommandEncoder();
    encodePass(encoder, "test", dispatches);
    device.submit(encoder);
    helper.wait();
    const [bytes] = await device.read([{ buffer, offset: 0, size: 16 }]);
    strictEqual(new Uint32Array(bytes!).join(), "7,7,7,7");
    await rejects(helper.start(kernel("x[wid.x] = missing;")), /does not compile/);
  } finally {
    helper.close();
    device.destroy();
  }
});

Deno.test("a helper says whether it compiled every kernel", async () => {
  const device = await Device.open();
  const helper = await ShaderHelper.open(device);
  try {
    await helper.start(kernel("x[wid.x] += u.value;"));
    helper.wait();
    ok(await helper.works());
    const narrow = kernel("x[wid.x] += u.value;");
    await helper.start({ ...narrow, uniforms: narrow.uniforms!.slice(0, 0) }); // a binding of no bytes
    helper.wait();
    ok(!await helper.works());
  } finally {
    helper.close();
    device.destroy();
  }
});
