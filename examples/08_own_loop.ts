/**
 * Events and profiles for WebGPU code that is no scenario: the time of a kernel on the device, and where the steps of a loop
 * spend their time.
 *
 *     deno run -A examples/08_own_loop.ts
 */
import { deviceEvent, elapsed, profile, range } from "../mod.ts";

if (Deno.args.includes("--help")) {
  console.log("Times a kernel on the device, and profiles a loop. Takes no arguments.");
  Deno.exit();
}

const adapter = await navigator.gpu.requestAdapter();
const device = await adapter!.requestDevice({ requiredFeatures: ["timestamp-query"] });

const module = device.createShaderModule({
  code: `@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  for (var i = 0u; i < 50u; i++) { x[id.x] = fma(x[id.x], 0.5, 1.0); }
}`,
});
const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module } });
const size = 4 * 64 * 16;
const x = device.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
const staging = device.createBuffer({ size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
const bindGroup = device.createBindGroup({
  layout: pipeline.getBindGroupLayout(0),
  entries: [{ binding: 0, resource: { buffer: x } }],
});

function compute(times: number): void {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, bindGroup);
  for (let i = 0; i < times; i++) pass.dispatchWorkgroups(16);
  pass.end();
  device.queue.submit([encoder.finish()]);
}

async function read(): Promise<number> {
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(x, 0, staging, 0, size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const first = new Float32Array(staging.getMappedRange())[0]!;
  staging.unmap();
  return first;
}

compute(1); // compiles the shader

// Events mark moments in the device's work. Nothing waits until elapsed() asks for a time.
const begin = deviceEvent(device).record(device.queue);
const submitted = performance.now();
compute(20);
const host = performance.now() - submitted;
const end = deviceEvent(device).record(device.queue);
console.log(
  `20 dispatches: ${(await elapsed(begin, end)).toFixed(2)} ms on the device, submitted in ${host.toFixed(2)} ms`,
);

// A profile of the loop: two steps left alone, one warm-up step, five recorded ones
const profiler = await profile({ name: "own loop", device, wait: 2, warmup: 1, active: 5, repeat: 1 }).start();
for (let step = 0; step < 8; step++) {
  range("compute", () => compute(10));
  await range("read", () => read()); // the device copies quickly; the host waits
  await profiler.step();
}
const { result } = await profiler.stop(); // report("out") writes it as a page, and trace() returns it for Perfetto

for (const { path, track, mean } of result.variants[0]!.profile!.ranges) {
  console.log(`${path} on the ${track}: ${mean.toFixed(2)} ms`);
}
device.destroy();
