import { DeviceError, InputError } from "../core/errors.ts";
import type { KernelSpec } from "./kernel.ts";
import { withSubgroupDirective } from "./subgroups.ts";

const BINDING_TYPES = { read: "read-only-storage", read_write: "storage" } as const;

/** Letter of each binding type in the key of a layout. */
const LETTERS = { read: "r", read_write: "w" } as const;

/** Compute pipelines by source. Kernels that differ only in shapes share one. */
export class PipelineCache {
  readonly #gpu: GPUDevice;
  readonly #pipelines = new Map<string, Promise<GPUComputePipeline>>();
  readonly #layouts = new Map<string, GPUBindGroupLayout>();
  readonly #creation = new Map<string, number>();
  readonly #dispatched = new WeakSet<GPUComputePipeline>();

  constructor(gpu: GPUDevice) {
    this.#gpu = gpu;
  }

  get size(): number {
    return this.#pipelines.size;
  }

  /** Returns the creation time of a kernel's pipeline in ms, or null if it has none yet. */
  creationTime(spec: KernelSpec): number | null {
    return this.#creation.get(pipelineKey(spec)) ?? null;
  }

  /**
   * Returns the pipeline of a kernel, compiling it first if necessary.
   *
   * @throws {DeviceError} if the WGSL does not compile
   * @throws {InputError} if it does not compile and contains code of a script
   */
  get(spec: KernelSpec): Promise<GPUComputePipeline> {
    const key = pipelineKey(spec);
    let pipeline = this.#pipelines.get(key);
    if (pipeline === undefined) {
      pipeline = this.#create(spec);
      this.#pipelines.set(key, pipeline);
    }
    return pipeline;
  }

  /** Notes that a pipeline is being dispatched. Returns false if it was noted before. */
  firstDispatch(pipeline: GPUComputePipeline): boolean {
    if (this.#dispatched.has(pipeline)) return false;
    this.#dispatched.add(pipeline);
    return true;
  }

  /** Returns the layout of a kernel's bind group. */
  layout(spec: KernelSpec): GPUBindGroupLayout {
    const key = layoutKey(spec);
    let layout = this.#layouts.get(key);
    if (layout === undefined) {
      const entries = spec.bindings.map((binding, i): GPUBindGroupLayoutEntry => ({
        binding: i,
        visibility: GPUShaderStage.COMPUTE,
        buffer: { type: BINDING_TYPES[binding.access] },
      }));
      if (spec.uniforms !== null) {
        entries.push({ binding: entries.length, visibility: GPUShaderStage.COMPUTE, buffer: { type: "uniform" } });
      }
      layout = this.#gpu.createBindGroupLayout({ label: key, entries });
      this.#layouts.set(key, layout);
    }
    return layout;
  }

  async #create(spec: KernelSpec): Promise<GPUComputePipeline> {
    const start = performance.now();
    const code = await withSubgroupDirective(this.#gpu, spec.wgsl);
    this.#gpu.pushErrorScope("validation");
    const module = this.#gpu.createShaderModule({ label: spec.name, code });
    const layout = this.#gpu.createPipelineLayout({ label: spec.name, bindGroupLayouts: [this.layout(spec)] });
    const pipeline = this.#gpu.createComputePipelineAsync({
      label: spec.name,
      layout,
      compute: { module, entryPoint: "main" },
    }).catch((error: unknown) => error instanceof Error ? error : new Error(String(error)));
    const scope = this.#gpu.popErrorScope();
    const made = await pipeline;
    const error = await scope;
    this.#creation.set(pipelineKey(spec), performance.now() - start);
    if (error !== null || made instanceof Error) {
      const reason = error?.message ?? (made as Error).message;
      if (spec.ownOps !== undefined) throw ownKernelError(spec.ownOps, spec.name, reason);
      throw new DeviceError(`Kernel ${spec.name} does not compile: ${reason}`);
    }
    return made;
  }
}

/** Creates the error for a kernel with code of a script. */
function ownKernelError(ops: readonly string[], kernel: string, reason: string): InputError {
  const named = ops.map((type) => `"${type}"`).join(" or ");
  return new InputError(`op ${named}: kernel ${kernel} does not compile; correct the WGSL in its defineOp. ${reason}`);
}

function pipelineKey(spec: KernelSpec): string {
  return `${layoutKey(spec)}\n${spec.wgsl}`;
}

function layoutKey(spec: KernelSpec): string {
  return spec.bindings.map(({ access }) => LETTERS[access]).join("") + (spec.uniforms === null ? "" : "u");
}
