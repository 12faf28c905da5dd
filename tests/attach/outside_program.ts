/**
 * Fills a buffer once, then adds to it in each of eight marked steps, then halves it three times after the last.
 *
 *     deno run -A outside_program.ts
 */
const adapter = await navigator.gpu.requestAdapter();
const device = await adapter!.requestDevice();
const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
const buffer = device.createBuffer({ size: 4 * 64, usage: STORAGE | COPY_SRC });
const staging = device.createBuffer({ size: 4 * 64, usage: MAP_READ | COPY_DST });
const kernel = (label: string, statement: string) => {
  const code = `@group(0) @binding(0) var<storage, read_write> x: array<f32>;
  @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { x[id.x] ${statement}; }`;
  const module = device.createShaderModule({ code });
  const pipeline = device.createComputePipeline({ label, layout: "auto", compute: { module } });
  const entries = [{ binding: 0, resource: { buffer } }];
  return { pipeline, group: device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }) };
};
const run = ({ pipeline, group }: ReturnType<typeof kernel>) => {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(1);
  pass.end();
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, 4 * 64);
  device.queue.submit([encoder.finish()]);
};
const [fill, add, halve] = [kernel("fill", "= 1.0"), kernel("add", "+= 1.0"), kernel("halve", "*= 0.5")];
run(fill);
for (let step = 0; step < 8; step++) {
  performance.mark("step");
  run(add);
  await device.queue.onSubmittedWorkDone();
}
performance.mark("step");
for (let i = 0; i < 3; i++) run(halve);
await staging.mapAsync(GPUMapMode.READ);
console.log(new Float32Array(staging.getMappedRange())[0]);
device.destroy();
