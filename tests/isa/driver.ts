import { estimateKernels } from "../../runtime/isa/estimate.ts";
import { DEFAULT_GPUS, findGpu } from "../../runtime/isa/gpus.ts";
import type { IsaEstimate } from "../../runtime/isa/types.ts";
import { DeviceError } from "../../runtime/core/errors.ts";
import { full } from "../support/full.ts";

const TRIVIAL = "@compute @workgroup_size(1) fn main() {}";

/** Reason why kernels cannot be estimated here: no driver for AMD, or no package with naga; null if they can. */
export const missingCompiler: string | null = await estimateKernels(
  [{ name: "trivial", wgsl: TRIVIAL, dispatches: null }],
  { gpus: [findGpu("navi21")] },
).then(() => null, (error) => {
  if (error instanceof DeviceError) return error.message;
  throw error;
});

if (missingCompiler !== null) console.warn(`tests of the estimates are skipped: ${missingCompiler}`);

/** Defines a test that compiles kernels, skipped and named where the compiler is missing. In the fast set if it is `fast`. */
export function compilerTest(name: string, test: () => Promise<void>, { fast = false } = {}): void {
  Deno.test({ name, ignore: missingCompiler !== null || !(fast || full), fn: test });
}

/** Estimates modules by name. */
export async function estimated(
  modules: Readonly<Record<string, string>>,
  gpus: readonly string[] = DEFAULT_GPUS,
): Promise<IsaEstimate> {
  const sources = Object.entries(modules).map(([name, wgsl]) => ({ name, wgsl, dispatches: null }));
  return await estimateKernels(sources, { gpus: gpus.map(findGpu) });
}
