/** Faults planted into the steps of {@linkcode runPlanted}, by step. */
export interface Plan {
  readonly steps: number;
  /** Further mapped reads, uploads, buffers that nothing destroys, and pipelines, in each of these steps. */
  readonly reads?: readonly number[];
  readonly uploads?: readonly number[];
  readonly leaks?: readonly number[];
  readonly pipelines?: readonly number[];
  /** Called at the end of each step. */
  readonly ended?: () => void;
}

const N = 1024;

const code = (body: string) => `
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { ${body} }`;

/** Trains nothing: each step uploads, runs a slow and two quick kernels, and reads a value. Returns the values. */
export async function runPlanted(device: GPUDevice, { steps, ended, ...plan }: Plan): Promise<number[]> {
  const pipeline = (label: string, body: string) =>
    device.createComputePipeline({
      ...label === "" ? {} : { label },
      layout: "auto",
      compute: { module: device.createShaderModule({ code: code(body) }), entryPoint: "main" },
    });
  const slow = pipeline(
    "slow",
    "var sum = x[id.x]; for (var i = 0u; i < 20000u; i++) { sum += sum * 1e-7 + f32(i) * 1e-9; } x[id.x] = sum;",
  );
  const quick = pipeline("quick", "x[id.x] = x[id.x] * 0.5;");
  const unnamed = pipeline("", "x[id.x] = tanh(x[id.x]);");
  const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
  const data = device.createBuffer({ label: "data", size: N * 4, usage: STORAGE | COPY_SRC | COPY_DST });
  const staging = device.createBuffer({ label: "staging", size: 16, usage: MAP_READ | COPY_DST });
  const group = (kernel: GPUComputePipeline) =>
    device.createBindGroup({
      layout: kernel.getBindGroupLayout(0),
      entries: [{ binding: 0, resource: { buffer: data } }],
    });
  const kernels = [slow, quick, unnamed].map((kernel) => ({ kernel, group: group(kernel) }));
  const read = async () => {
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(data, 0, staging, 0, 16);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ);
    const value = new Float32Array(staging.getMappedRange())[0]!;
    staging.unmap();
    return value;
  };
  const values: number[] = [];
  for (let step = 0; step < steps; step++) {
    const times = (of: readonly number[] = []) => of.filter((at) => at === step).length;
    for (let i = 0; i <= times(plan.uploads); i++) device.queue.writeBuffer(data, 0, new Float32Array(N).fill(step));
    for (let i = 0; i < times(plan.leaks); i++) device.createBuffer({ label: "forgotten", size: 256, usage: STORAGE });
    for (let i = 0; i < times(plan.pipelines); i++) pipeline("late", `x[id.x] = ${step}.0;`);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    for (const { kernel, group } of kernels) {
      pass.setPipeline(kernel);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(N / 64);
      if (kernel === quick) pass.dispatchWorkgroups(1);
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
    for (let i = 0; i < times(plan.reads); i++) await read();
    values.push(await read());
    ended?.();
  }
  return values;
}

/** Opens a device, with timestamps if the adapter has them. */
export async function openDevice(): Promise<GPUDevice> {
  const adapter = await navigator.gpu.requestAdapter();
  if (adapter === null) throw new Error("No adapter");
  const feature: GPUFeatureName = "timestamp-query";
  return await adapter.requestDevice({ requiredFeatures: adapter.features.has(feature) ? [feature] : [] });
}
