/**
 * Binds kernels to buffers on a device: creates pipelines, one uniform buffer and bind groups once, to encode many times.
 *
 * @module
 */
import { roundUp } from "../core/round_up.ts";
import type { Device } from "./device.ts";
import type { BufferRef, KernelPlan, KernelSpec } from "./kernel.ts";
import type { PassTimestamps } from "./timestamps.ts";

/** Alignment of uniforms in their buffer, in bytes. */
const UNIFORM_ALIGNMENT = 256;

/** A kernel with a buffer range for each storage binding. */
export interface KernelCall {
  readonly kernel: KernelSpec;
  readonly buffers: readonly GPUBufferBinding[];
  /** Label of the bind group; the kernel's name by default. */
  readonly label?: string;
}

/** A dispatch that is ready to encode. */
export interface BoundDispatch {
  readonly pipeline: GPUComputePipeline;
  readonly bindGroup: GPUBindGroup;
  readonly grid: KernelSpec["grid"];
}

/** Dispatches in order, with their shared uniform buffer. */
export interface BoundKernels {
  readonly dispatches: readonly BoundDispatch[];
  /** Frees the uniform buffer. */
  free(): void;
}

/**
 * Binds kernels to buffers: compiles kernels that the device has not compiled yet, uploads uniforms, creates bind groups.
 *
 * @param onKernel called with the number of kernels whose pipelines exist, and of all
 * @throws {DeviceError} if a kernel does not compile
 */
export async function bind(
  device: Device,
  calls: readonly KernelCall[],
  onKernel: (done: number, all: number) => void = () => {},
): Promise<BoundKernels> {
  const pipelines: GPUComputePipeline[] = [];
  // One at a time, so that the time of each is known
  for (const { kernel } of calls) {
    pipelines.push(await device.pipelines.get(kernel));
    onKernel(pipelines.length, calls.length);
  }
  const kernels = calls.map(({ kernel }) => kernel);
  const uniforms = uploadUniforms(device, kernels);
  let offset = 0;
  const dispatches = calls.map(({ kernel, buffers, label = kernel.name }, i): BoundDispatch => {
    const resources = [...buffers];
    if (kernel.uniforms !== null) {
      resources.push({ buffer: uniforms, offset, size: kernel.uniforms.byteLength });
      offset += alignedUniforms(kernel);
    }
    const entries = resources.map((resource, binding) => ({ binding, resource }));
    const layout = device.pipelines.layout(kernel);
    const bindGroup = device.gpu.createBindGroup({ label, layout, entries });
    return { pipeline: pipelines[i]!, bindGroup, grid: kernel.grid };
  });
  return { dispatches, free: () => device.free(uniforms) };
}

/** Binds the kernels of one op; `buffer` maps each tensor and scratch buffer to a buffer of the device. */
export function bindPlan(
  device: Device,
  plan: KernelPlan,
  buffer: (ref: BufferRef) => GPUBuffer,
): Promise<BoundKernels> {
  return bind(
    device,
    plan.kernels.map((kernel) => ({ kernel, buffers: kernel.bindings.map(({ ref }) => ({ buffer: buffer(ref) })) })),
  );
}

/** Encodes dispatches as one pass, `repeats` times in a row. */
export function encodePass(
  encoder: GPUCommandEncoder,
  label: string,
  dispatches: readonly BoundDispatch[],
  timestampWrites?: PassTimestamps,
  repeats = 1,
): void {
  const pass = encoder.beginComputePass(timestampWrites === undefined ? { label } : { label, timestampWrites });
  let current: GPUComputePipeline | null = null;
  for (let i = 0; i < repeats; i++) {
    for (const { pipeline, bindGroup, grid } of dispatches) {
      if (pipeline !== current) pass.setPipeline(current = pipeline);
      pass.setBindGroup(0, bindGroup);
      pass.dispatchWorkgroups(...grid);
    }
  }
  pass.end();
}

/** Returns a dispatch of a single workgroup, which runs the shader once. Its results are wrong. */
export function firstUse<T extends BoundDispatch>(dispatch: T): T {
  return { ...dispatch, grid: [1, 1, 1] };
}

/** Returns the size of the uniform buffer for these kernels, in bytes. */
export function uniformBytes(kernels: readonly KernelSpec[]): number {
  return Math.max(16, kernels.reduce((sum, kernel) => sum + alignedUniforms(kernel), 0));
}

function alignedUniforms({ uniforms }: KernelSpec): number {
  return roundUp(uniforms?.byteLength ?? 0, UNIFORM_ALIGNMENT);
}

function uploadUniforms(device: Device, kernels: readonly KernelSpec[]): GPUBuffer {
  const words = new Uint32Array(uniformBytes(kernels) / 4);
  let offset = 0;
  for (const kernel of kernels) {
    if (kernel.uniforms !== null) words.set(kernel.uniforms, offset / 4);
    offset += alignedUniforms(kernel);
  }
  const buffer = device.buffer("uniforms", words.byteLength, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST);
  device.write(buffer, 0, words);
  return buffer;
}
