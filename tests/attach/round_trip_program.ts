/** Reads a kernel's output back in each step, and uploads it again as the next step's input. */
const adapter = await navigator.gpu.requestAdapter();
const device = await adapter!.requestDevice();
const code = `
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { x[id.x] += f32(id.x) + 1.0; }`;
const module = device.createShaderModule({ code });
const pipeline = device.createComputePipeline({ label: "kernel", layout: "auto", compute: { module } });
const { STORAGE, COPY_DST, COPY_SRC, MAP_READ } = GPUBufferUsage;
const buffer = device.createBuffer({ size: 4096, usage: STORAGE | COPY_DST | COPY_SRC });
const staging = device.createBuffer({ size: 4096, usage: COPY_DST | MAP_READ });
const group = device.createBindGroup({
  layout: pipeline.getBindGroupLayout(0),
  entries: [{ binding: 0, resource: { buffer } }],
});

let values = new Float32Array(1024);
for (let step = 0; step < 6; step++) {
  device.queue.writeBuffer(buffer, 0, values);
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(16);
  pass.end();
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, 4096);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  values = new Float32Array(staging.getMappedRange().slice(0));
  staging.unmap();
}
