/**
 * Kernels in which the lanes of a subgroup share what they load. A software adapter runs a subgroup as one SIMD register but
 * splits every load by lanes, so that loads, and not arithmetic, bound kernels with register tiles. Here each lane loads a
 * part of what all lanes need and broadcasts it, which is one instruction: half as many loads, and 50 to 60 % faster than
 * the same tiles without (lab: GEMM 512, 45 -> 72 GFLOP/s).
 *
 * A workgroup is one subgroup, so lane = `lix`, and no lane may leave early: places past the end are clamped instead.
 *
 * @module
 */
import type { DeviceTraits } from "../../runtime/device/traits.ts";

/** Lanes that the kernels are written for. */
export const SIMD_LANES = 8;

/** Whether these kernels run, and pay, on a device. */
export function hasSimd(traits: DeviceTraits): boolean {
  return traits.class === "cpu" && traits.subgroupSize === SIMD_LANES;
}

/** The value that lane `lane`, a constant, has in `name`. */
export function fromLane(name: string, lane: number): string {
  return `subgroupBroadcast(${name}, ${lane}u)`;
}
