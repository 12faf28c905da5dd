/**
 * How many lanes the subgroups of an adapter have.
 *
 * @module
 */

/** Invocations that are asked for their lane. */
const ASKED = 128;

/** The size that an adapter tells for every subgroup; null where it tells a range, from which pipelines may choose. */
export function toldSubgroupSize(
  { subgroupMinSize, subgroupMaxSize }: Pick<GPUAdapterInfo, "subgroupMinSize" | "subgroupMaxSize">,
): number | null {
  return subgroupMinSize === subgroupMaxSize && subgroupMinSize > 0 ? subgroupMinSize : null;
}

/**
 * Whether an adapter of this name has one size behind the range that it tells. wgpu tells 4 to 64 for all of Metal, which
 * knows sizes of compiled pipelines only; Apple's own GPUs have the same in all of them.
 */
export function hidesSubgroupSize(name: string): boolean {
  return /^Apple\b/.test(name);
}

/** The size that a kernel sees; null where its lanes are not the invocations of a workgroup in order. */
export async function measureSubgroupSize(device: GPUDevice): Promise<number | null> {
  const label = "subgroup size";
  const size = ASKED * 8;
  const module = device.createShaderModule({
    label,
    code: `@group(0) @binding(0) var<storage, read_write> seen: array<vec2<u32>>;
@compute @workgroup_size(${ASKED})
fn main(@builtin(local_invocation_index) lix: u32, @builtin(subgroup_size) size: u32,
  @builtin(subgroup_invocation_id) lane: u32) {
  seen[lix] = vec2<u32>(size, lane);
}`,
  });
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
  for (let i = 0; i < ASKED; i++) {
    if (seen[2 * i] !== first || seen[2 * i + 1] !== i % first) return null;
  }
  return first > 0 ? first : null;
}
