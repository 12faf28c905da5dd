import type { DeviceRecorder } from "../device_recorder.ts";
import type { Kernel } from "../kernel_table.ts";
import { hashText, shortHash } from "../hash.ts";
import type { Patches } from "../patch.ts";
import type { Registry } from "../registry.ts";
import { createTag, type Tag } from "../tag.ts";
import { computeEntryPoints, describeKernel } from "../wgsl.ts";

/** Source and entry points of a shader module. */
interface Shader {
  readonly label: string;
  readonly hash: string;
  readonly code: string;
  readonly entryPoints: readonly string[];
}

/** Records shader modules and pipelines. Returns the kernels of compute pipelines. */
export function patchPipelines(patches: Patches, registry: Registry): Tag<Kernel> {
  const shaders = createTag<Shader>();
  const kernels = createTag<Kernel>();
  const { prototype } = GPUDevice;

  patches.method(prototype, "createShaderModule", (gpu, args, call) => {
    const device = registry.of(gpu);
    if (device === undefined) return call(gpu, args);
    const start = device.now();
    const module = call(gpu, args) as GPUShaderModule;
    device.compiling(start, device.now());
    const code = String((args[0] as GPUShaderModuleDescriptor).code);
    const shader = {
      label: module.label,
      hash: shortHash(hashText(code)),
      code,
      entryPoints: computeEntryPoints(code),
    };
    shaders.set(module, shader);
    device.module(shader.label, shader.hash, shader.entryPoints);
    return module;
  });

  const kernelOf = (device: DeviceRecorder, { label, compute }: GPUComputePipelineDescriptor): Kernel => {
    const shader = shaders.get(compute.module);
    const entryPoint = compute.entryPoint ?? shader?.entryPoints[0] ?? "";
    return device.kernel({
      label: [label, shader?.label].find(isName) ?? "",
      entryPoint,
      hash: shader?.hash ?? "",
      constants: JSON.stringify(compute.constants ?? {}),
      describe: () => shader === undefined ? "" : describeKernel(shader.code, entryPoint),
    });
  };

  for (const type of ["compute", "render"] as const) {
    const name = type === "compute" ? "Compute" : "Render";
    const note = (device: DeviceRecorder, pipeline: object, args: unknown[]): Kernel | null => {
      if (type === "render") return null;
      const kernel = kernelOf(device, args[0] as GPUComputePipelineDescriptor);
      kernels.set(pipeline, kernel);
      return kernel;
    };
    patches.method(prototype, `create${name}Pipeline`, (gpu, args, call) => {
      const device = registry.of(gpu);
      if (device === undefined) return call(gpu, args);
      const start = device.now();
      const pipeline = call(gpu, args) as object;
      const end = device.now();
      device.compiling(start, end);
      device.count("pipelines");
      const facts = { start, callMs: end - start, readyMs: null, line: device.line() };
      device.pipeline(type, note(device, pipeline, args), facts);
      return pipeline;
    });
    patches.method(prototype, `create${name}PipelineAsync`, (gpu, args, call) => {
      const device = registry.of(gpu);
      if (device === undefined) return call(gpu, args);
      const line = device.line();
      const start = device.now();
      const promise = call(gpu, args) as Promise<object>;
      const end = device.now();
      device.compiling(start, end);
      device.count("pipelines");
      return promise.then((pipeline) => {
        const ready = device.now();
        device.interval("compiling", end, ready);
        const facts = { start, callMs: end - start, readyMs: ready - start, line };
        device.pipeline(type, note(device, pipeline, args), facts);
        return pipeline;
      });
    });
  }
  return kernels;
}

/** Returns whether a label names something. TypeGPU labels what has no name `<unnamed>`. */
function isName(label: string | undefined): label is string {
  return label !== undefined && label !== "" && !label.startsWith("<unnamed>");
}
