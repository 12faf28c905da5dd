/**
 * Renders a triangle and reads a pixel, step by step. With `own`, the render passes carry timestamps of the program.
 *
 *     deno run -A render_program.ts [own]
 */
const own = Deno.args.includes("own");
const adapter = await navigator.gpu.requestAdapter();
const device = await adapter!.requestDevice({ requiredFeatures: own ? ["timestamp-query"] : [] });
const { RENDER_ATTACHMENT, COPY_SRC } = GPUTextureUsage;
const code = `
@vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(select(-1.0, 3.0, i == 1u), select(-1.0, 3.0, i == 2u), 0.0, 1.0);
}
@fragment fn color() -> @location(0) vec4f { return vec4f(0.2, 0.4, 0.6, 1.0); }`;
const module = device.createShaderModule({ code });
const format = "rgba8unorm";
const pipeline = device.createRenderPipeline({
  layout: "auto",
  vertex: { module },
  fragment: { module, targets: [{ format }] },
});
const texture = device.createTexture({ size: [64, 64], format, usage: RENDER_ATTACHMENT | COPY_SRC });
const { MAP_READ, COPY_DST } = GPUBufferUsage;
const staging = device.createBuffer({ size: 64 * 256, usage: MAP_READ | COPY_DST });
const timestampWrites = {
  ...{ beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 },
  querySet: own ? device.createQuerySet({ type: "timestamp", count: 2 }) : null,
};
for (let step = 0; step < 8; step++) {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    label: "scene",
    colorAttachments: [{
      view: texture.createView(),
      loadOp: "clear",
      storeOp: "store",
      clearValue: [0, 0, 0, 1],
    }],
    ...own ? { timestampWrites: timestampWrites as GPURenderPassTimestampWrites } : {},
  });
  pass.setPipeline(pipeline);
  pass.draw(3);
  pass.end();
  encoder.copyTextureToBuffer({ texture }, { buffer: staging, bytesPerRow: 256 }, [64, 64]);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  console.log(step, new Uint8Array(staging.getMappedRange()).slice(0, 4).join());
  staging.unmap();
}
