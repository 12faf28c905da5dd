/**
 * Cost of recording a program, per call, interleaved in one run: not attached, attached and counting, attached and timing.
 * Then the memory that the recorder holds after many steps.
 *
 *     deno task bench:attach [rounds]
 *     deno task bench:attach --record   # also writes the result to bench/results/
 *
 * @module
 */
import { median } from "../runtime/core/statistics.ts";
import { attach } from "../attach.ts";
import { prepareEnvironment } from "../runtime/device/environment.ts";
import { recorder } from "./record/recorder.ts";

const { args, record } = await recorder("attach");
const ROUNDS = Number(args[0] ?? 15);

/** Dispatches of an encoder; each timed one takes two of the 4096 queries of a set. */
const DISPATCHES = 500;

/** Steps between readings of the heap. */
const STEPS = [1000, 5000, 10_000];

prepareEnvironment();
const adapter = await navigator.gpu.requestAdapter();
const device = await adapter!.requestDevice({ requiredFeatures: ["timestamp-query"] });
const { queue } = device;

const code = "@group(0) @binding(0) var<storage, read_write> x: array<f32>; " +
  "@compute @workgroup_size(1) fn main() { x[0] = x[0] + 1.0; }";

/** Makes a pipeline and its bindings again, so that the recorder knows them. */
function program() {
  const pipeline = device.createComputePipeline({
    layout: "auto",
    compute: { module: device.createShaderModule({ code }) },
  });
  const buffer = device.createBuffer({ size: 16, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer } }],
  });
  return { pipeline, buffer, group };
}

interface Times {
  readonly dispatch: number;
  readonly encoder: number;
  readonly upload: number;
}

/** Returns nanoseconds per set-pipeline, set-bind-group and dispatch; per encoder with its submit; and per upload. */
async function measure({ pipeline, buffer, group }: ReturnType<typeof program>): Promise<Times> {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  const start = performance.now();
  for (let i = 0; i < DISPATCHES; i++) {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(1);
  }
  const dispatch = performance.now() - start;
  pass.end();
  queue.submit([encoder.finish()]);
  await queue.onSubmittedWorkDone();
  const empty = performance.now();
  for (let i = 0; i < 200; i++) queue.submit([device.createCommandEncoder().finish()]);
  const encoders = performance.now() - empty;
  await queue.onSubmittedWorkDone();
  const data = new Float32Array(4);
  const write = performance.now();
  for (let i = 0; i < 1000; i++) queue.writeBuffer(buffer, 0, data);
  const upload = performance.now() - write;
  await queue.onSubmittedWorkDone();
  return { dispatch: dispatch / DISPATCHES * 1e6, encoder: encoders / 200 * 1e6, upload: upload / 1000 * 1e6 };
}

const MODES = ["not attached", "counting", "timing"] as const;
const times = new Map<string, Times[]>(MODES.map((mode) => [mode, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (let i = 0; i < MODES.length; i++) {
    const mode = MODES[(round + i) % MODES.length]!;
    await using profiler = mode === "not attached"
      ? null
      : attach(device, { timing: mode === "timing", steps: "mark" });
    if (profiler !== null) await profiler.result(); // its buffer for timestamps has been mapped
    times.get(mode)!.push(await measure(program()));
  }
}

console.log("ns per call, medians of interleaved rounds    dispatch  encoder+submit  writeBuffer");
for (const [mode, own] of times) {
  const of = (name: keyof Times) => median(own.map((one) => one[name])).toFixed(0);
  record(mode, { dispatch_ns: +of("dispatch"), submit_ns: +of("encoder"), write_buffer_ns: +of("upload") });
  console.log(
    `${mode.padEnd(45)} ${of("dispatch").padStart(8)} ${of("encoder").padStart(15)} ${of("upload").padStart(12)}`,
  );
}

await using _profiler = attach(device);
const { pipeline, group } = program();
let done = 0;
for (const steps of STEPS) {
  for (; done < steps; done++) {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    for (let i = 0; i < 20; i++) pass.dispatchWorkgroups(1);
    pass.end();
    queue.submit([encoder.finish()]);
    queue.onSubmittedWorkDone().catch(() => {});
    if (done % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  }
  const { heapUsed } = Deno.memoryUsage();
  record(`after ${steps} recorded steps`, { heap_mib: heapUsed / 2 ** 20 });
  console.log(`heap after ${steps} recorded steps of 20 dispatches: ${(heapUsed / 2 ** 20).toFixed(1)} MiB`);
}
device.destroy();
