/** Doubles a number on its own device. */
const scope = self as unknown as {
  onmessage: (event: MessageEvent<number>) => void;
  postMessage(value: unknown): void;
  close(): void;
};

scope.onmessage = async ({ data }) => {
  const device = await (await navigator.gpu.requestAdapter())!.requestDevice();
  const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
  const buffer = device.createBuffer({ size: 4, usage: STORAGE | COPY_SRC | COPY_DST });
  const staging = device.createBuffer({ size: 4, usage: MAP_READ | COPY_DST });
  device.queue.writeBuffer(buffer, 0, new Float32Array([data]));
  const code =
    `@group(0) @binding(0) var<storage, read_write> x: f32; @compute @workgroup_size(1) fn twice() { x = x + x; }`;
  const pipeline = device.createComputePipeline({
    layout: "auto",
    compute: { module: device.createShaderModule({ code }), entryPoint: "twice" },
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  const layout = pipeline.getBindGroupLayout(0);
  pass.setBindGroup(0, device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer } }] }));
  pass.dispatchWorkgroups(1);
  pass.end();
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, 4);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  scope.postMessage(new Float32Array(staging.getMappedRange())[0]);
  scope.close();
};
export {};
