/**
 * The WGSL directive of subgroup operations. The specification requires it; Deno's compiler does not know it.
 *
 * @module
 */

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
