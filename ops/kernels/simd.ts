/**
 * Kernels in which the lanes of a subgroup share their loads. A software adapter runs a subgroup as one SIMD register
 * but splits every load by lanes, so loads rather than arithmetic limit kernels with register tiles. Here each lane
 * loads a part of the data and broadcasts it, which is a single instruction. On lavapipe with 8 lanes this halves the
 * loads and is 50 to 60 % faster than the same tiles without subgroups (512 x 512 matrix product: 45 -> 72 GFLOP/s).
 * Other numbers of lanes, as on GPUs, are unmeasured and available to tuning only.
 *
 * A workgroup is one subgroup, so lane = `lix`, and no lane may return early: indices past the end are clamped instead.
 * The directive `enable subgroups` is added where the compiler accepts it (`device/subgroups.ts`).
 *
 * @module
 */
import type { DeviceTraits } from "../../runtime/device/traits.ts";

/** Number of lanes for which the kernels were measured, on software adapters. */
export const SIMD_LANES = 8;

/** Returns true if a device runs these kernels and they are known to be faster on it. */
export function hasSimd(traits: DeviceTraits): boolean {
  return traits.class === "cpu" && traits.subgroupSize === SIMD_LANES;
}

/** Returns the number of lanes of a device that runs these kernels, measured or not; null if it does not run them. */
export function simdLanes({ subgroupSize }: DeviceTraits): number | null {
  return subgroupSize !== null && [4, 8, 16, 32, 64].includes(subgroupSize) ? subgroupSize : null;
}

/** Returns a family's name for a number of lanes. */
export function simdName(family: "simd" | "runs", lanes: number): string {
  return lanes === SIMD_LANES ? family : `${family}${lanes}`;
}

/** Returns the number of loads for `count` values at one per lane; both arguments are powers of two. */
export function sharedLoads(count: number, lanes: number): number {
  return Math.ceil(count / lanes);
}

/**
 * Returns WGSL for the index of the value, of `count`, that a lane loads with load `i`; surplus lanes repeat indices.
 */
export function shareOfLane(i: number, count: number, lanes: number): string {
  return count < lanes ? `lix % ${count}u` : `${lanes * i}u + lix`;
}

/** Returns WGSL for the value of `name` in lane `lane`, a constant. */
export function fromLane(name: string, lane: number): string {
  return `subgroupBroadcast(${name}, ${lane}u)`;
}
