/** The WGSL directive of subgroup operations. The specification requires it; Deno's compiler does not know it. */
const DIRECTIVE = "enable subgroups;";

/** A subgroup function or a builtin value of subgroups. */
const SUBGROUPS = /\b(?:(?:subgroup|quad)[A-Z]\w*\s*\(|builtin\(subgroup_)/;

const accepted = new WeakMap<GPUDevice, Promise<boolean>>();

/** Returns true if WGSL uses subgroup operations. */
export function usesSubgroups(wgsl: string): boolean {
  return SUBGROUPS.test(wgsl);
}

/** Returns WGSL for the device's compiler: with the directive if the code uses subgroups and the compiler accepts it. */
export async function withSubgroupDirective(gpu: GPUDevice, wgsl: string): Promise<string> {
  if (!usesSubgroups(wgsl)) return wgsl;
  let answer = accepted.get(gpu);
  if (answer === undefined) accepted.set(gpu, answer = acceptsDirective(gpu));
  return await answer ? `${DIRECTIVE}\n${wgsl}` : wgsl;
}

async function acceptsDirective(gpu: GPUDevice): Promise<boolean> {
  gpu.pushErrorScope("validation");
  gpu.createShaderModule({ label: "subgroup directive", code: `${DIRECTIVE}\n` });
  return await gpu.popErrorScope() === null;
}

/** Number of invocations in the measuring kernel. */
const INVOCATIONS = 128;

/** Returns the subgroup size that an adapter reports, or null if it reports a range, from which pipelines may choose. */
export function reportedSubgroupSize(
  { subgroupMinSize, subgroupMaxSize }: Pick<GPUAdapterInfo, "subgroupMinSize" | "subgroupMaxSize">,
): number | null {
  return subgroupMinSize === subgroupMaxSize && subgroupMinSize > 0 ? subgroupMinSize : null;
}

/**
 * Returns true if the adapter has a single subgroup size although it reports a range. wgpu reports 4 to 64 for every Metal
 * adapter, since Metal knows the size of compiled pipelines only; on Apple's own GPUs all pipelines have the same size.
 */
export function hidesSubgroupSize(name: string): boolean {
  return /^Apple\b/.test(name);
}

/** Measures the subgroup size in a kernel. Returns null if lanes are not the invocations of a workgroup in order. */
export async function measureSubgroupSize(device: GPUDevice): Promise<number | null> {
  const label = "subgroup size";
  const size = INVOCATIONS * 8;
  const code = await withSubgroupDirective(
    device,
    `@group(0) @binding(0) var<storage, read_write> seen: array<vec2<u32>>;
@compute @workgroup_size(${INVOCATIONS})
fn main(@builtin(local_invocation_index) lix: u32, @builtin(subgroup_size) size: u32,
  @builtin(subgroup_invocation_id) lane: u32) {
  seen[lix] = vec2<u32>(size, lane);
}`,
  );
  const module = device.createShaderModule({ label, code });
  const pipeline = await device.createComputePipelineAsync({ label, layout: "auto", compute: { module } });
  const buffer = device.createBuffer({ label, size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
  const staging = device.createBuffer({ label, size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder({ label });
  const pass = encoder.beginComputePass({ label });
  pass.setPipeline(pipeline);
  const entries = [{ binding: 0, resource: { buffer } }];
  pass.setBindGroup(0, device.createBindGroup({ label, layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(1);
  pass.end();
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const seen = new Uint32Array(staging.getMappedRange().slice(0));
  for (const made of [buffer, staging]) made.destroy();
  const first = seen[0]!;
  for (let i = 0; i < INVOCATIONS; i++) {
    if (seen[2 * i] !== first || seen[2 * i + 1] !== i % first) return null;
  }
  return first > 0 ? first : null;
}
