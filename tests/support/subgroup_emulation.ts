/**
 * Kernels by subgroups of more lanes than the adapter has: a workgroup is one subgroup, so that a broadcast can read what
 * its lanes have left in workgroup memory. Checks everything but the broadcast itself.
 *
 * @module
 */
import type { KernelSpec } from "../../runtime/device/kernel.ts";

const BROADCAST = /\bsubgroupBroadcast\((\w+)(\[\d\])?, (\d+)u\)/g;

/** The kernel with its broadcasts of vectors of four emulated; itself where it has none. */
export function emulateSubgroups(kernel: KernelSpec): KernelSpec {
  const names = new Set([...kernel.wgsl.matchAll(BROADCAST)].map(([, name]) => name!));
  if (names.size === 0) return kernel;
  const lanes = kernel.workgroupSize[0];
  let wgsl = kernel.wgsl.replaceAll(BROADCAST, (_call, name: string, part = "", lane: string) => {
    if (Number(lane) >= lanes) throw new Error(`${kernel.name} reads lane ${lane} of ${lanes}`);
    return `shared_${name}[${lane}]${part}`;
  });
  if (/\b(?:subgroup|quad)[A-Z]/.test(wgsl)) throw new Error(`${kernel.name} does more than broadcast`);
  for (const name of names) {
    const declaration = new RegExp(`\\blet ${name} = [^;]+;`, "g");
    const declared = [...wgsl.matchAll(declaration)].length;
    if (declared !== 1) throw new Error(`${kernel.name} declares ${name} ${declared} times`);
    wgsl = wgsl.replace(
      declaration,
      (all) => `${all} workgroupBarrier(); shared_${name}[lix] = ${name}; workgroupBarrier();`,
    );
  }
  const memory = [...names].map((name) => `var<workgroup> shared_${name}: array<vec4<f32>, ${lanes}>;\n`).join("");
  return { ...kernel, name: `${kernel.name}.emulated`, wgsl: wgsl.replace("@compute", `${memory}@compute`) };
}
