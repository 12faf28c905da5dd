/** Opens a device with a label. */
export async function openDevice(label: string): Promise<GPUDevice> {
  const device = await (await navigator.gpu.requestAdapter())!.requestDevice({ label });
  device.addEventListener("uncapturederror", (event) => {
    console.log("uncaptured:", (event as GPUUncapturedErrorEvent).error.message.split("\n")[0]);
  });
  return device;
}

/** Draws a red triangle over the upper left of 64 × 4 pixels by a bundle, and returns two of them. */
export async function drawBundle(device: GPUDevice): Promise<string> {
  const module = device.createShaderModule({
    code: `
@vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1u) * 4 - 1, 1 - f32(i >> 1u) * 4, 0, 1);
}
@fragment fn red() -> @location(0) vec4f { return vec4f(1, 0, 0, 1); }`,
  });
  const format = "rgba8unorm";
  const pipeline = device.createRenderPipeline({
    label: "triangle",
    layout: "auto",
    vertex: { module, entryPoint: "corner" },
    fragment: { module, entryPoint: "red", targets: [{ format }] },
  });
  const { RENDER_ATTACHMENT, COPY_SRC } = GPUTextureUsage;
  const texture = device.createTexture({ size: [64, 4], format, usage: RENDER_ATTACHMENT | COPY_SRC });
  const bundler = device.createRenderBundleEncoder({ colorFormats: [format] });
  bundler.setPipeline(pipeline);
  bundler.draw(3);
  const bundle = bundler.finish({ label: "bundle" });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    label: "drawing",
    colorAttachments: [{ view: texture.createView(), loadOp: "clear", storeOp: "store", clearValue: [0, 0, 1, 1] }],
  });
  pass.setScissorRect(0, 0, 32, 4);
  pass.executeBundles([bundle]);
  pass.end();
  const buffer = device.createBuffer({ size: 1024, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 256 }, [64, 4]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const pixels = new Uint8Array(buffer.getMappedRange());
  const drawn = `${pixels.slice(0, 4)} ${pixels.slice(63 * 4, 64 * 4)}`;
  buffer.destroy();
  texture.destroy();
  return drawn;
}
