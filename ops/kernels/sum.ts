/**
 * Sums of many numbers to one: lanes sum strided parts in order, then their sums are added in order.
 *
 * @module
 */
import { type BufferRef, defineKernel, type KernelSpec } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";

/** Lanes of the first stage for `n` terms: by the shape and the kind of adapter, not by its cores. */
export function sumLanes(n: number, traits: DeviceTraits): number {
  return Math.max(1, Math.min(n, traits.class === "cpu" ? 256 : 4096));
}

/**
 * The last stage: `sum[0] = scale * (sum of parts)`, f32. One invocation on software adapters, where a barrier
 * costs more than the additions; a workgroup with a tree elsewhere.
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
  for (var i = 0u; i < u.lanes; i++) { sum += parts[i]; }
  total[0] = sum * u.scale;`,
    });
  }
  return defineKernel({
    name: "sum.tree",
    buffers,
    uniforms,
    workgroupSize: [64],
    grid: [1],
    prelude: "var<workgroup> sums: array<f32, 64>;",
    body: `  var sum = 0.0;
  for (var i = lix; i < u.lanes; i += 64u) { sum += parts[i]; }
  sums[lix] = sum;
  for (var half = 32u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lix < half) { sums[lix] += sums[lix + half]; }
  }
  if (lix == 0u) { total[0] = sums[0] * u.scale; }`,
  });
}
