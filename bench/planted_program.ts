/**
 * A program without waits for `bench/versus.ts`: each step submits one kernel `--work N` times.
 *
 *     deno run -A bench/planted_program.ts --work 2
 *
 * @module
 */
import { parseArgs } from "node:util";

/** Multiplications and additions of an invocation, and their number; some 10 ms of two cores. */
const [OPERATIONS, INVOCATIONS] = [4000, 64 * 256] as const;

const work = Number(parseArgs({ options: { work: { type: "string", default: "1" } } }).values.work);
const adapter = await navigator.gpu.requestAdapter();
const device = await adapter!.requestDevice();
const buffer = device.createBuffer({ size: 4 * INVOCATIONS, usage: GPUBufferUsage.STORAGE });
const code = `@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  var sum = x[id.x];
  for (var i = 0u; i < ${OPERATIONS}u; i++) { sum = sum * 0.999 + 0.001; }
  x[id.x] = sum;
}`;
const module = device.createShaderModule({ code });
const pipeline = device.createComputePipeline({ layout: "auto", compute: { module } });
const group = device.createBindGroup({
  layout: pipeline.getBindGroupLayout(0),
  entries: [{ binding: 0, resource: { buffer } }],
});
while (true) {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  for (let i = 0; i < work; i++) pass.dispatchWorkgroups(INVOCATIONS / 64);
  pass.end();
  device.queue.submit([encoder.finish()]);
  performance.mark("step");
  performance.clearMarks();
}
