/** A program for Node with npm's webgpu: six steps of a slow kernel and a quick one, dispatched twice. */
export const NODE_PROGRAM = `import process from "node:process";
import { create, globals } from "webgpu";
Object.assign(globalThis, globals);

const gpu = create([]);
const adapter = await gpu.requestAdapter();
const device = await adapter.requestDevice();
const { features } = device;
console.log(features.has("timestamp-query"), [...features].length === features.size);

function kernel(label, body) {
  const code = \`@group(0) @binding(0) var<storage, read_write> x: array<f32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { \${body} }\`;
  const module = device.createShaderModule({ code });
  return device.createComputePipeline({ label, layout: "auto", compute: { module } });
}
const slow = kernel("slow", "for (var i = 0; i < 300; i++) { x[id.x] = x[id.x] * 0.5 + 1.0; }");
const quick = kernel("quick", "x[id.x] += 1.0;");
const buffer = device.createBuffer({
  label: "x",
  size: 1 << 16,
  usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
});
const staging = device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
const entries = [{ binding: 0, resource: { buffer } }];
const groups = [slow, quick].map((pipeline) =>
  device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries })
);

try {
  device.queue.submit(new Set());
} catch (error) {
  console.log(error.constructor.name);
}
for (let step = 0; step < 6; step++) {
  device.queue.writeBuffer(buffer, 0, new Float32Array([step]));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  [slow, quick, quick].forEach((pipeline, i) => {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, groups[Math.min(i, 1)]);
    pass.dispatchWorkgroups(256);
  });
  pass.end();
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, 16);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  console.log(new Float32Array(staging.getMappedRange())[0]);
  staging.unmap();
}
if (process.argv[2] === "exit") process.exit(7);
if (process.argv[2] === "destroy") device.destroy();
`;
