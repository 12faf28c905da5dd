/** Dispatches kernels from lines that are named in comments, also by a library. */
import { dispatch } from "./npm/registry/library/1.0.0/mod.ts";

const adapter = await navigator.gpu.requestAdapter();
const device = await adapter!.requestDevice();
const code = `
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { x[id.x] = x[id.x] + 1.0; }`;
const module = device.createShaderModule({ code });
const pipeline = device.createComputePipeline({ label: "kernel", layout: "auto", compute: { module } }); // pipeline
const { STORAGE } = GPUBufferUsage;
const buffer = device.createBuffer({ label: "kept", size: 1024, usage: STORAGE }); // kept buffer
const entries = [{ binding: 0, resource: { buffer } }];
const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });

for (let step = 0; step < 6; step++) {
  device.createBuffer({ label: "forgotten", size: 256, usage: STORAGE }); // leak
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(4); // own dispatch
  dispatch(pass, 2); // dispatch by a library
  pass.end();
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
}
