/**
 * Compiles kernels with Tint: Dawn's null backend compiles and validates like a browser but runs nothing.
 *
 * @module
 */
import { DeviceError } from "../../runtime/core/errors.ts";
import { Device } from "../../runtime/device/device.ts";
import type { KernelSpec } from "../../runtime/device/kernel.ts";
import { measureSubgroupSize, withSubgroupDirective } from "../../runtime/device/subgroups.ts";
import { createDawn } from "../packages/webgpu.ts";
import type { RecordedKernel } from "./kernel_file.ts";

export interface Refusal {
  readonly kernel: string;
  readonly message: string;
}

/** Opens a device of Dawn's null backend, as Tacho opens any device. Replaces `navigator.gpu`. */
export async function openNullDevice(): Promise<Device> {
  const gpu = await createDawn(["backend=null", "enable-dawn-features=allow_unsafe_apis"]);
  Object.defineProperty(navigator, "gpu", { value: gpu, configurable: true });
  return await Device.open();
}

/** Messages of Dawn for pipelines that exceed a limit of the device. */
const LIMIT = /larger than the maximum allowed|exceeds the maximum/;

/**
 * Compiles kernels and returns those that Tint or Dawn's validation refused. The null device has WebGPU's default limits;
 * of kernels for larger ones, only the module is compiled.
 */
export async function refusals(device: Device, kernels: Iterable<RecordedKernel>): Promise<Refusal[]> {
  const refused: Refusal[] = [];
  const attempt = async (kernel: string, compile: () => Promise<unknown>) => {
    try {
      await compile();
      device.check();
    } catch (error) {
      refused.push({ kernel, message: error instanceof Error ? error.message : String(error) });
    }
  };
  for (const { hasUniforms, ...kernel } of kernels) {
    const uniforms = hasUniforms ? new Uint32Array(4) : null;
    await attempt(kernel.name, () => compile(device, { ...kernel, uniforms }));
  }
  await attempt("subgroup size", () => measureSubgroupSize(device.gpu));
  return refused;
}

async function compile(device: Device, kernel: KernelSpec): Promise<void> {
  try {
    await device.pipelines.get(kernel);
  } catch (error) {
    if (!(error instanceof DeviceError && LIMIT.test(error.message))) throw error;
    const code = await withSubgroupDirective(device.gpu, kernel.wgsl);
    device.gpu.pushErrorScope("validation");
    device.gpu.createShaderModule({ label: kernel.name, code });
    const problem = await device.gpu.popErrorScope();
    if (problem !== null) throw new Error(problem.message);
  }
}
