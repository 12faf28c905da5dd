import type { DType } from "../core/dtype.ts";

/** Smallest magnitude that becomes infinite in f16: the largest finite value and half a unit of its last place. */
const BEYOND_F16 = 65520;

/**
 * Describes the values of a tensor that are not finite, or that become infinite in `dtype`: `1 NaN and 2 infinities among
 * 25 values`. Returns null if all are finite.
 */
export function describeNonFinite(values: Float32Array, dtype: DType): string | null {
  const limit = dtype === "f16" ? BEYOND_F16 : Infinity;
  let [nan, infinite, large] = [0, 0, 0];
  for (let i = 0; i < values.length; i++) {
    const size = Math.abs(values[i]!);
    if (size < limit) continue;
    if (size === Infinity) infinite++;
    else if (size >= limit) large++;
    else nan++;
  }
  const counts = [
    ...nan === 0 ? [] : [`${nan} NaN`],
    ...infinite === 0 ? [] : [`${infinite} ${infinite === 1 ? "infinity" : "infinities"}`],
    ...large === 0 ? [] : [`${large} beyond the range of f16`],
  ];
  return counts.length === 0 ? null : `${counts.join(", ")} among ${values.length} values`;
}
