/**
 * Kernels in which the lanes of a subgroup share what they load. A software adapter runs a subgroup as one SIMD register but
 * splits every load by lanes, so that loads, and not arithmetic, bound kernels with register tiles. Here each lane loads a
 * part of what all lanes need and broadcasts it, which is one instruction: half as many loads, and 50 to 60 % faster than
 * the same tiles without (lab: GEMM 512, 45 -> 72 GFLOP/s). With other numbers of lanes, as GPUs have, they were not measured:
 * there they are for those who tune.
 *
 * A workgroup is one subgroup, so lane = `lix`, and no lane may leave early: places past the end are clamped instead. The
 * shader compiler of Deno knows no `enable subgroups`: where the feature is granted, its functions are there.
 *
 * @module
 */
import type { DeviceTraits } from "../../runtime/device/traits.ts";

/** Lanes that the kernels were measured with, on software adapters. */
export const SIMD_LANES = 8;

/** Whether these kernels run, and are known to pay, on a device. */
export function hasSimd(traits: DeviceTraits): boolean {
  return traits.class === "cpu" && traits.subgroupSize === SIMD_LANES;
}

/** The lanes of a device that these kernels run on, known to pay or not; null for one that they do not run on. */
export function simdLanes({ subgroupSize }: DeviceTraits): number | null {
  return subgroupSize !== null && [4, 8, 16, 32, 64].includes(subgroupSize) ? subgroupSize : null;
}

/** A family's name for subgroups of so many lanes. */
export function simdName(family: "simd" | "runs", lanes: number): string {
  return lanes === SIMD_LANES ? family : `${family}${lanes}`;
}

/** Loads that bring all of `count` things, one a lane; both are powers of two. */
export function sharedLoads(count: number, lanes: number): number {
  return Math.ceil(count / lanes);
}

/** Which of `count` things a lane brings with load `i`; where lanes are more than these, several bring the same. */
export function shareOfLane(i: number, count: number, lanes: number): string {
  return count < lanes ? `lix % ${count}u` : `${lanes * i}u + lix`;
}

/** The value that lane `lane`, a constant, has in `name`. */
export function fromLane(name: string, lane: number): string {
  return `subgroupBroadcast(${name}, ${lane}u)`;
}
