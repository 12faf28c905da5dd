/**
 * Plain WebGPU with everything that a recorder could get wrong. What it prints must not depend on being recorded.
 *
 *     deno run -A edge_program.ts [own] [destroy | throw | reject | invalid | unmapped | exit]
 */

const asked = new Set(Deno.args);
const adapter = (await navigator.gpu.requestAdapter())!;
const wanted = new Set<GPUFeatureName>(["timestamp-query"]).values(); // WebGPU takes any iterable
const device = await adapter.requestDevice(
  asked.has("own") ? { requiredFeatures: wanted as Iterable<GPUFeatureName> as GPUFeatureName[] } : undefined,
);
const { queue } = device;
device.addEventListener("uncapturederror", (event) => {
  console.log("uncaptured:", (event as GPUUncapturedErrorEvent).error.message.split("\n")[0]);
});
const { STORAGE, UNIFORM, INDIRECT, COPY_SRC, COPY_DST, MAP_READ, QUERY_RESOLVE } = GPUBufferUsage;

const module = device.createShaderModule({
  code: `
override factor: f32 = 2;
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@group(1) @binding(0) var<uniform> addend: f32;
@compute @workgroup_size(64) fn scale(@builtin(global_invocation_id) id: vec3u) { x[id.x] = x[id.x] * factor; }
@compute @workgroup_size(64) fn add(@builtin(global_invocation_id) id: vec3u) { x[id.x] = x[id.x] + addend; }`,
});
const dataLayout = device.createBindGroupLayout({
  entries: [{ binding: 0, visibility: GPUShaderStage.COMPUTE, buffer: { type: "storage" } }],
});
const addendLayout = device.createBindGroupLayout({
  entries: [{ binding: 0, visibility: GPUShaderStage.COMPUTE, buffer: { type: "uniform", hasDynamicOffset: true } }],
});
const layout = device.createPipelineLayout({ bindGroupLayouts: [dataLayout, addendLayout] });
const scale = device.createComputePipeline({
  label: "scale",
  layout,
  compute: { module, entryPoint: "scale", constants: { factor: 1.5 } },
});
const add = await device.createComputePipelineAsync({ layout, compute: { module, entryPoint: "add" } });
const data = device.createBuffer({ size: 1024, usage: STORAGE | COPY_SRC | COPY_DST, mappedAtCreation: true });
new Float32Array(data.getMappedRange()).fill(1);
data.unmap();
const addends = device.createBuffer({ size: 1024, usage: UNIFORM | COPY_DST });
const values = new Float32Array(256);
values[0] = 1;
values[64] = 10;
queue.writeBuffer(addends, 0, values);
const indirect = device.createBuffer({ size: 16, usage: INDIRECT | COPY_DST });
queue.writeBuffer(indirect, 0, new Uint32Array([4, 1, 1]));
const dataGroup = device.createBindGroup({
  layout: dataLayout,
  entries: [{ binding: 0, resource: { buffer: data } }],
});
const addendGroup = device.createBindGroup({
  layout: addendLayout,
  entries: [{ binding: 0, resource: { buffer: addends, size: 4 } }],
});
const staging = device.createBuffer({ size: 1024, usage: MAP_READ | COPY_DST });

async function read(): Promise<string> {
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(data, 0, staging, 0, 1024);
  queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const values = new Float32Array(staging.getMappedRange().slice(0));
  staging.unmap();
  return `${values[0]} ${values[255]}`;
}

function run(encoder: GPUCommandEncoder, pipeline: GPUComputePipeline, times = 1): GPUComputePassEncoder {
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, dataGroup);
  pass.setBindGroup(1, addendGroup, [0]);
  for (let i = 0; i < times; i++) pass.dispatchWorkgroups(4);
  return pass;
}

async function refused(name: string, action: () => void): Promise<void> {
  device.pushErrorScope("validation");
  try {
    action();
  } catch (error) {
    console.log(name, "threw", String(error));
  }
  const error = await device.popErrorScope();
  console.log(name, error?.constructor.name, error?.message);
}

// State that outlasts dispatches, and offsets whose memory the program uses again
{
  const encoder = device.createCommandEncoder({ label: "mixed" });
  const pass = encoder.beginComputePass({ label: "mixed" });
  console.log(pass instanceof GPUComputePassEncoder, pass.label, encoder.label);
  const offsets = new Uint32Array([0]);
  pass.pushDebugGroup("group");
  pass.setPipeline(scale);
  pass.setBindGroup(0, dataGroup);
  pass.setBindGroup(1, addendGroup, offsets, 0, 1);
  pass.dispatchWorkgroups(4);
  offsets[0] = 999;
  pass.insertDebugMarker("marker");
  pass.dispatchWorkgroups(4);
  pass.setPipeline(add);
  pass.dispatchWorkgroups(4);
  pass.setBindGroup(1, addendGroup, [256]);
  pass.dispatchWorkgroups(4);
  pass.dispatchWorkgroupsIndirect(indirect, 0);
  pass.popDebugGroup();
  pass.end();
  queue.submit([encoder.finish()]);
  console.log("state", await read());
}

// More dispatches in an encoder than a query set holds
{
  const encoder = device.createCommandEncoder();
  run(encoder, add, 2100).end();
  queue.submit([encoder.finish()]);
  console.log("many", await read());
}

// Encoders that are open at once, submitted in the other order as a set; one is abandoned
{
  const [first, second, abandoned] = [1, 2, 3].map(() => device.createCommandEncoder());
  run(first!, scale).end();
  run(second!, add).end();
  run(first!, scale, 2).end();
  run(abandoned!, add).end();
  const commands = [first!.finish(), second!.finish()];
  Reflect.apply(queue.submit, queue, [new Set(commands.reverse())]);
  console.log("order", await read());
}

// Errors are the program's own
await refused("missing bind group", () => {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass({ label: "bare" });
  pass.setPipeline(add);
  pass.dispatchWorkgroups(1);
  pass.dispatchWorkgroups(1);
  pass.end();
  queue.submit([encoder.finish()]);
});
await refused("open pass", () => {
  const encoder = device.createCommandEncoder();
  encoder.beginComputePass();
  encoder.finish();
});
await refused("ended twice", () => {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.end();
  pass.end();
  encoder.finish();
});
await refused("dispatch after end", () => {
  const encoder = device.createCommandEncoder();
  const pass = run(encoder, add, 2);
  pass.end();
  pass.dispatchWorkgroups(1);
  encoder.finish();
});
await refused("open debug group", () => {
  const encoder = device.createCommandEncoder();
  const pass = run(encoder, add, 2);
  pass.pushDebugGroup("open");
  pass.end();
  encoder.finish();
});
await refused("bad WGSL", () => void device.createShaderModule({ code: "fn main( {" }));
for (const wrong of [[], [5], [[{}]]] as unknown[][]) {
  try {
    Reflect.apply(queue.submit, queue, wrong);
  } catch (error) {
    console.log("submit threw", String(error));
  }
}
await staging.mapAsync(GPUMapMode.READ);
await staging.mapAsync(GPUMapMode.READ).then(
  () => console.log("mapped twice"),
  (error: unknown) => console.log("mapped twice:", String(error)),
);
staging.unmap();

// Timestamps of the program
if (asked.has("own")) {
  const querySet = device.createQuerySet({ type: "timestamp", count: 2 });
  const resolved = device.createBuffer({ size: 16, usage: QUERY_RESOLVE | COPY_SRC });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass({
    timestampWrites: { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 },
  });
  pass.setPipeline(add);
  pass.setBindGroup(0, dataGroup);
  pass.setBindGroup(1, addendGroup, [0]);
  for (let i = 0; i < 50; i++) pass.dispatchWorkgroups(4);
  pass.end();
  encoder.resolveQuerySet(querySet, 0, 2, resolved, 0);
  encoder.copyBufferToBuffer(resolved, 0, staging, 0, 16);
  queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const [begin, end] = new BigUint64Array(staging.getMappedRange().slice(0, 16));
  staging.unmap();
  console.log("own timestamps", begin! > 0n && end! > begin!, await read());
}

// Render passes
{
  const texture = device.createTexture({
    size: [4, 4],
    format: "rgba8unorm",
    usage: GPUTextureUsage.RENDER_ATTACHMENT,
  });
  const encoder = device.createCommandEncoder();
  encoder.beginRenderPass({
    colorAttachments: [{ view: texture.createView(), loadOp: "clear", storeOp: "store", clearValue: [0, 0, 0, 1] }],
  }).end();
  queue.submit([encoder.finish()]);
  await queue.onSubmittedWorkDone();
  texture.destroy();
}

// Traces of the patches that a program can see
const { features } = device;
console.log("features", features.has("timestamp-query"), features.size, [...features], features);
console.log(queue.submit.name, queue.submit.length, Object.keys(device).length, device.queue === queue);
console.log(Object.keys(GPUDevice.prototype).join(), GPUBuffer.prototype.mapAsync.length);
console.log(Object.keys(Deno.env.toObject()).toSorted());

// A worker with its own device, and a message that is sent before it listens
{
  const worker = new Worker(new URL("./edge_worker.ts", import.meta.url), { type: "module" });
  worker.postMessage(3);
  console.log("worker", await new Promise((resolve) => worker.onmessage = ({ data }) => resolve(data)));
}

if (asked.has("destroy")) device.destroy();
if (asked.has("throw")) throw new Error("thrown");
if (asked.has("reject")) Promise.reject(new Error("rejected"));
if (asked.has("invalid")) Reflect.apply(queue.writeBuffer, queue, [5]);
if (asked.has("unmapped")) staging.mapAsync(GPUMapMode.WRITE);
if (asked.has("exit")) Deno.exit(5);
