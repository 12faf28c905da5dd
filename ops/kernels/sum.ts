/**
 * Sums of many numbers: lanes sum strided parts in order, and a second stage adds these sums in order.
 *
 * @module
 */
import { type BufferRef, defineKernel, type KernelSpec } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { TEAM_SIZE, teamSum } from "./team.ts";

/** Returns the number of lanes of the first stage for `n` terms; depends on the class of adapter, not on its cores. */
export function sumLanes(n: number, traits: DeviceTraits): number {
  return Math.max(1, Math.min(n, traits.class === "cpu" ? 256 : 4096));
}

/**
 * Returns WGSL in which one invocation adds a term for each `j` below `u.lanes` to the variable `sum`. It adds blocks of 16,
 * since rounding grows with the number of additions to one sum.
 */
export function serialSum(sum: string, type: string, term = "parts[j]"): string {
  return `for (var i = 0u; i < u.lanes; i += 16u) {
    var block = ${type}();
    for (var j = i; j < min(i + 16u, u.lanes); j++) { block += ${term}; }
    ${sum} += block;
  }`;
}

/**
 * Returns the kernel of the last stage: `sum[0] = scale * (sum of parts)`, f32. It is one invocation on software
 * adapters, where a barrier costs more than the additions, and a workgroup with a tree on GPUs.
 */
export function finalSum(
  options: { parts: BufferRef; sum: BufferRef; lanes: number; scale: number; traits: DeviceTraits },
): KernelSpec {
  const buffers = {
    parts: { ref: options.parts, type: "f32", access: "read" },
    total: { ref: options.sum, type: "f32" },
  } as const;
  const uniforms = { lanes: options.lanes, scale: { f32: options.scale } };
  if (options.traits.class === "cpu") {
    return defineKernel({
      name: "sum.serial",
      buffers,
      uniforms,
      workgroupSize: [1],
      grid: [1],
      body: `  var sum = 0.0;
  ${serialSum("sum", "f32")}
  total[0] = sum * u.scale;`,
    });
  }
  return defineKernel({
    name: "sum.tree",
    buffers,
    uniforms,
    workgroupSize: [TEAM_SIZE],
    grid: [1],
    prelude: teamSum({ columns: 1, members: TEAM_SIZE }, "f32"),
    body: `  var sum = 0.0;
  for (var i = lix; i < u.lanes; i += ${TEAM_SIZE}u) { sum += parts[i]; }
  sum = teamSum(sum, lix);
  if (lix == 0u) { total[0] = sum * u.scale; }`,
  });
}
