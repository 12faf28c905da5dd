import { InputError } from "../core/errors.ts";
import { adviceOn } from "./advice/advise.ts";
import { figuresOf } from "./figures.ts";
import type { Gpu } from "./gpus.ts";
import { driverLibrary } from "./radv/library.ts";
import { RadvProcess } from "./radv/radv_process.ts";
import { createNaga, type Translator } from "./naga/translator.ts";
import { type EntryPoint, reflect } from "./spirv/reflect.ts";
import type { IsaEstimate, KernelEstimate, KernelSource } from "./types.ts";
import { prepare } from "./wgsl/prepare.ts";

/** Limits of WebGPU on AMD's GPUs, beyond which the driver is not asked. */
const MAX_INVOCATIONS = 1024;

export interface EstimateOptions {
  readonly gpus: readonly Gpu[];
  /** Called with the assembly of each kernel. */
  readonly onAssembly?: ((row: KernelEstimate, assembly: string) => void) | undefined;
  /** Translator of WGSL; the package with naga by default. */
  readonly translator?: Translator;
  readonly signal?: AbortSignal;
}

/** An entry point that can go to the driver. */
interface Compilable {
  readonly name: string;
  readonly source: KernelSource;
  readonly spirv: Uint8Array;
  readonly entry: EntryPoint;
}

/**
 * Compiles kernels for GPUs that are not here, and returns what the compiler says. A kernel that it refuses, or that takes it
 * down, is a row with an error.
 *
 * @throws {DeviceError} without the driver or the front end, or elsewhere than on Linux
 */
export async function estimateKernels(
  sources: readonly KernelSource[],
  { gpus, onAssembly, translator, signal }: EstimateOptions,
): Promise<IsaEstimate> {
  const library = driverLibrary();
  const notes = new Set<string>();
  const failed: { kernel: string; dispatches: number | null; error: string }[] = [];
  const ready: Compilable[] = [];
  await using naga = translator ?? createNaga();
  for (const source of sources) {
    signal?.throwIfAborted();
    try {
      const { code, removed } = prepare(source.wgsl, source.overrides);
      for (const each of removed) notes.add(`removed before compiling, since the front end lacks it: ${each}`);
      const spirv = await naga.toSpirv(code);
      ready.push(...compilable(source, spirv));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      failed.push({ kernel: source.name, dispatches: source.dispatches, error: error.message });
    }
  }
  const rows: KernelEstimate[] = [];
  let compiler: string | null = null;
  for (const gpu of gpus) {
    rows.push(...failed.map((each) => ({ ...each, gpu: gpu.name, figures: null, advice: [] })));
    if (ready.length === 0) continue;
    await using radv = await RadvProcess.open(library, gpu);
    compiler = radv.facts.driver;
    for (const { name, source, spirv, entry } of ready) {
      signal?.throwIfAborted();
      const { dispatches, wgsl } = source;
      const answer = await radv.compile(spirv, entry);
      const row = { kernel: name, gpu: gpu.name, dispatches };
      if ("error" in answer) {
        rows.push({ ...row, figures: null, advice: [], error: answer.error });
        continue;
      }
      const [x, y, z] = entry.workgroupSize;
      const figures = figuresOf(answer, gpu, x * y * z);
      const whole: KernelEstimate = { ...row, figures, advice: adviceOn({ figures, wgsl, gpu }), error: null };
      rows.push(whole);
      onAssembly?.(whole, answer.texts["Assembly"] ?? "");
    }
  }
  return { frontEnd: naga.version, compiler, gpus: gpus.map(({ name }) => name), rows, notes: [...notes] };
}

/** @throws {InputError} if the module has no entry point, or one exceeds a limit of the GPUs */
function compilable(source: KernelSource, spirv: Uint8Array): Compilable[] {
  const entries = reflect(spirv);
  if (entries.length === 0) throw new InputError("no entry point for compute; expected a function with @compute");
  return entries.map((entry) => {
    const lanes = entry.workgroupSize.reduce((product, size) => product * size, 1);
    if (lanes < 1 || lanes > MAX_INVOCATIONS) {
      throw new InputError(
        `entry point ${entry.name}: a workgroup of ${lanes} invocations; expected 1 to ${MAX_INVOCATIONS}`,
      );
    }
    const name = entries.length === 1 ? source.name : `${source.name}:${entry.name}`;
    return { name, source, spirv, entry };
  });
}
