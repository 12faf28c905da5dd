/**
 * Emulation of subgroups with more lanes than the adapter has. A workgroup is one subgroup, so an emulated broadcast
 * reads the lanes' values from workgroup memory. This checks everything but the broadcast instruction.
 *
 * @module
 */
import type { KernelSpec } from "../../runtime/device/kernel.ts";

const BROADCAST = /\bsubgroupBroadcast\((\w+)(\[\d\])?, (\d+)u\)/g;

/** Returns the kernel with emulated broadcasts of vectors of four; the kernel itself if it has none. */
export function emulateSubgroups(kernel: KernelSpec): KernelSpec {
  const names = new Set([...kernel.wgsl.matchAll(BROADCAST)].map(([, name]) => name!));
  if (names.size === 0) return kernel;
  const lanes = kernel.workgroupSize[0];
  let wgsl = kernel.wgsl.replaceAll(BROADCAST, (_call, name: string, part = "", lane: string) => {
    if (Number(lane) >= lanes) throw new Error(`${kernel.name} reads lane ${lane} of ${lanes}`);
    return `shared_${name}[${lane}]${part}`;
  });
  if (/\b(?:subgroup|quad)[A-Z]/.test(wgsl)) {
    throw new Error(`${kernel.name} uses subgroup functions other than subgroupBroadcast`);
  }
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
